import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { allowHosts, destinationOf, isAllowedHost } from '../shared/destination.ts'
import { listed } from '../shared/listed.ts'

const secretWords = new Set(
  'apikey auth authorization credential credentials jwt key pass passwd password pwd secret sig signature token'.split(
    ' ',
  ),
)

export const urlCredentials = resourceRule('endpoint', {
  id: 'endpoint/url-credentials',
  title: 'URL contains credentials',
  severity: 'high',
  packs: ['secrets'],
  options: z.strictObject({ allow_hosts: allowHosts }),
  check({ attributes }, { options }) {
    const destination = destinationOf(attributes.url ?? '')
    if (destination === undefined) return
    const { hasUserinfo, query, host } = destination
    const keys = query === '' ? [] : secretKeysOf(query)
    if ((!hasUserinfo && keys.length === 0) || isAllowedHost(options.allow_hosts, host)) return
    const carried = [
      ...(hasUserinfo ? ['a user name and password'] : []),
      ...keys.map((key) => `the parameter \`${key}\``),
    ]
    return {
      path: '/url',
      message: `the URL contains ${listed(carried)}`,
      severity: hasUserinfo ? 'high' : 'medium',
    }
  },
})

/** Names of query parameters that say that their values are secret. */
function secretKeysOf(query: string): string[] {
  const keys = new Set([...new URLSearchParams(query)].filter(([, value]) => value !== '').map(([key]) => key))
  return [...keys].filter(isSecretKey).sort()
}

/** `access_token`, `apiKey`, `X-Sig`. */
function isSecretKey(key: string): boolean {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return words.split(/[^a-z0-9]+/).some((word) => secretWords.has(word))
}
