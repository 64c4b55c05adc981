import { projectRule } from '../engine/define-rule.ts'

export const urlTemplate = projectRule({
  id: 'endpoint/url-template',
  title: 'URL template discards or fails events',
  severity: 'medium',
  packs: ['delivery'],
  acceptedWith: 'nothing',
  kind: 'endpoint',
  reads: ['endpoint', 'subscription'],
  *check({ all }) {
    const templates = all('endpoint').flatMap((at) => {
      const [, host, path = '', query = ''] = parts.exec(at.attributes.url ?? '') ?? []
      const isTemplate = host !== undefined && (beginsName.test(path) || beginsName.test(query))
      // `/in/` and `/in` are one path. Another query excludes no URL.
      return isTemplate ? [{ at, steps: [host, ...path.split('/').filter((step) => step !== '')] }] : []
    })
    for (const { at, steps } of templates) {
      const ordinary = all('subscription').find(
        // A dynamic event makes one of that name by itself.
        ({ attributes: { endpoint_uid: uid, name } }) => uid === at.uid && !name?.startsWith('dynamic-subscription-'),
      )
      const rival = templates.find((other) => other.at.uid !== at.uid && mayMatchAlike(steps, other.steps))
      const reasons = [
        ...(ordinary === undefined
          ? []
          : [`ordinary events of the subscription ${ordinary.attributes.name} are discarded`]),
        ...(rival === undefined ? [] : [`dynamic events fail for URLs that endpoint ${rival.at.uid} matches as well`]),
      ]
      if (reasons.length > 0) yield { at, path: '/url', message: `the URL is a template: ${reasons.join('; ')}` }
    }
  },
})

/** Scheme and host, path, and query of a URL. */
const parts = /^([^:/?#{}]+:\/\/[^/?#{}]*)([^?#]*)(?:\?([^#]*))?/
/** The service takes a part for a template where its first brace begins a name. */
const beginsName = /^[^{]*\{[A-Za-z_]\w*\}/
const token = /\{[A-Za-z_]\w*\}/

function mayMatchAlike(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((step, at) => mayBeAlike(step, other[at] ?? ''))
}

/** A token takes the place of any characters, so two steps need only begin and end alike. */
function mayBeAlike(one: string, other: string): boolean {
  if (!token.test(one) && !token.test(other)) return one === other
  const [first, second] = [one.split(token), other.split(token)]
  const [start = '', otherStart = ''] = [first[0], second[0]]
  const [end = '', otherEnd = ''] = [first.at(-1), second.at(-1)]
  return (
    (start.startsWith(otherStart) || otherStart.startsWith(start)) && (end.endsWith(otherEnd) || otherEnd.endsWith(end))
  )
}
