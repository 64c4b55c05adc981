/** Host names that say what a service does, and not whose it is. */
const usual = new Set(['api', 'app', 'convoy', 'gateway', 'hookdrift', 'hooks', 'webhooks', 'www', 'localhost'])

/**
 * Suggests the name of a service in reports: `ACME_KEY` names it acme; without such a variable, hooks.example.com is
 * named example.
 */
export function nameService(keyVariable: string | undefined, url: string): string {
  const fromVariable = /^([A-Za-z0-9_]{1,100}?)_(?:API_)?KEY$/i.exec(keyVariable ?? '')?.[1]
  if (fromVariable !== undefined) {
    const named = fromVariable
      .toLowerCase()
      .replaceAll('_', '-')
      .replace(/^-{1,100}/, '')
    // `HOOKDRIFT_KEY` says whose program reads it.
    return named === '' || named === 'hookdrift' ? other : named
  }
  const { hostname } = new URL(url)
  if (/^[\d.]{7,15}$|^\[/.test(hostname)) return other
  const labels = hostname.split('.')
  const distinctive = labels.slice(0, labels.length > 1 ? -1 : 1).findLast((label) => !usual.has(label))
  return distinctive !== undefined && /^[a-z0-9][a-z0-9-]{0,60}$/.test(distinctive) ? distinctive : other
}

const other = 'convoy'

/** `ACME_KEY` for acme. */
export function nameKeyVariable(service: string): string {
  const word = service.toUpperCase().replace(/[^A-Z0-9]/g, '_')
  return `${/^\d/.test(word) ? '_' : ''}${word}_KEY`
}

/** What a shell and every CI system take for the name of a variable. */
export function isVariableName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(text)
}
