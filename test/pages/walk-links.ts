export interface Walked {
  readonly path: string
  /** The page that first led to it. */
  readonly from: string
  readonly status: number
  readonly text: string
}

interface Walkable {
  get(path: string): Promise<Response>
}

/**
 * Asks for every address that the pages and feeds of a site link to, each once. Pages as of other runs than those of the
 * first addresses are asked for, and not followed.
 */
export async function walkLinks(site: Walkable, starts: readonly string[]): Promise<readonly Walked[]> {
  const left = starts.map((path) => ({ path, from: '' }))
  const seen = new Set(starts)
  const runs = new Set(starts.map(runOf))
  const walked: Walked[] = []
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const answer = await site.get(next.path)
    const text = await answer.text()
    walked.push({ ...next, status: answer.status, text })
    const isFollowed = runs.has(runOf(next.path))
    for (const path of isFollowed ? linksIn(text, next.path) : []) {
      if (seen.has(path)) continue
      seen.add(path)
      left.push({ path, from: next.path })
    }
  }
  return walked
}

/** The addresses within the site, without fragments. */
function linksIn(text: string, base: string) {
  return [...text.matchAll(/ href="([^"]*)"/g)].flatMap(([, href = '']) => {
    const url = new URL(href.replaceAll('&amp;', '&').replaceAll('&#39;', "'"), `http://localhost${base}`)
    return url.host === 'localhost' ? [url.pathname + url.search] : []
  })
}

function runOf(path: string) {
  return new URL(path, 'http://localhost').searchParams.get('run')
}
