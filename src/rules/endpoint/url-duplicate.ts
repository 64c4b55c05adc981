import { projectRule } from '../engine/define-rule.ts'

export const urlDuplicate = projectRule({
  id: 'endpoint/url-duplicate',
  title: 'Active endpoints have the same URL',
  severity: 'medium',
  packs: ['delivery'],
  kind: 'endpoint',
  reads: ['endpoint'],
  *check({ all }) {
    const active = all('endpoint').filter(
      ({ attributes: { status, url } }) => status === 'active' && typeof url === 'string',
    )
    for (const shared of Map.groupBy(active, ({ attributes: { url } }) => writtenAlike(url ?? '')).values()) {
      const uids = [...new Set(shared.map(({ uid }) => uid))].sort()
      const [first, second] = uids
      if (second === undefined) continue
      const also = uids.length === 2 ? '' : ` and ${uids.length - 2} more`
      for (const at of shared) {
        const other = at.uid === first ? second : first
        yield { at, path: '/url', message: `same URL as endpoint ${other}${also}` }
      }
    }
  },
})

/** Scheme and host in lower case, without the scheme's own port; an address that ends behind the host with a slash. */
function writtenAlike(url: string): string {
  const [, scheme = '', authority = '', rest = ''] = /^([^:/]*:\/\/)([^/?#]*)(.*)$/s.exec(url.trim()) ?? []
  if (authority === '' || authority.includes('@')) return url
  const start = `${scheme}${authority}`.toLowerCase()
  const bare = start.startsWith('https:') ? start.replace(/:443$/, '') : start.replace(/:80$/, '')
  return bare + (rest.startsWith('/') ? rest : `/${rest}`)
}
