import { isIP } from 'node:net'
import { z } from 'zod'
import type { NodePath } from '../model/yaml/node-values.ts'
import { checkFaults, findRepeats, type ValueFault } from '../model/yaml/value-fault.ts'
import { projectPatterns } from './choose-projects.ts'
import { referenceForms } from './expand-references.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Where a port is: a number, or an address with one. */
export const listenSchema = z
  .union([z.string(), z.int()], { error: listenForms() })
  .refine((value) => listenAddress(value) !== undefined, { error: listenForms() })

/** Names that a port answers to. */
export const hostsSchema = z
  .array(
    z
      .string()
      .regex(/^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, { error: 'the name of a host, without a port' }),
  )
  .min(1)
  .max(100)
  .describe(
    'Host names that the port answers to, besides addresses and localhost. Default: any, or none when `listen` is a loopback address',
  )

/** Parses `9464`, `127.0.0.1:9464` or `[::1]:9464`. Without an address, the port is open to this machine only. */
export function listenAddress(value: string | number): ListenAddress | undefined {
  const groups = addressForm.exec(String(value))?.groups
  const port = Number(groups?.digits)
  if (groups === undefined || port > 65_535) return undefined
  return { host: groups.v6 ?? groups.name ?? '127.0.0.1', port }
}

/** Whether only this machine reaches a host of this name or address; an IPv6 address may be in brackets. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return host === '::1' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
}

const addressForm = /^(?:(?:\[(?<v6>[0-9A-Fa-f:.]+)\]|(?<name>[A-Za-z0-9.-]+)):)?(?<digits>\d{1,5})$/

function listenForms(): string {
  return 'an address and a port such as `127.0.0.1:9464` or `[::1]:9464`'
}

const token = z.string().regex(/^[\x21-\x7e]{20,200}$/, {
  error: '20 to 200 visible ASCII characters without spaces or line breaks',
})

/** They carry something else than the name of a user. */
const otherHeaders = ['authorization', 'cookie', 'host', 'origin']
const network = 'an IP address, or a network such as `10.0.0.0/8`; not all addresses'

/** What the owner of a token may do besides reading. */
const readerRights = ['note'] as const
export type ReaderRight = (typeof readerRights)[number]

/** Who reads the pages, and where. */
export const serveSchema = z
  .strictObject({
    listen: listenSchema
      .exactOptional()
      .describe('The address of the pages; --listen overrides it. Default: 127.0.0.1:9465'),
    hosts: hostsSchema.exactOptional(),
    token: token.exactOptional().describe(`Its owner reads all projects; a secret, as ${referenceForms}`),
    tokens: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/, { error: 'letters, digits, `.`, `_` and `-`, at most 100' })
            .describe('Its name in the log'),
          token: token.describe(`A secret, as ${referenceForms}`),
          projects: projectPatterns.exactOptional(),
          may: z
            .array(z.enum(readerRights))
            .min(1)
            .exactOptional()
            .describe('What its owner may do besides reading; `note`: record notes. Default: nothing'),
        }),
      )
      .min(1)
      .max(1000)
      .exactOptional()
      .describe('Tokens of readers or teams, each for all projects or for some'),
    trusted_proxy: z
      .strictObject({
        header: z
          .string()
          .regex(/^[A-Za-z0-9-]{1,100}$/, { error: 'the name of a header such as X-Forwarded-User' })
          .refine((name) => !otherHeaders.includes(name.toLowerCase()), {
            error: 'a header that carries nothing but the name of the user',
          })
          .describe('The header in which the proxy names its user. It must replace what a client sends'),
        addresses: z
          .array(z.string().refine((text) => readNetwork(text) !== undefined, { error: network }))
          .min(1)
          .max(100)
          .describe('Addresses from which the header is believed: IP addresses, or networks such as 10.0.0.0/8'),
      })
      .exactOptional()
      .describe('A proxy in front that knows its users. They read all projects, or those of a token that they send'),
  })
  .check(checkFaults(findServeFaults))

export type DecodedServe = z.output<typeof serveSchema>

export interface NetworkRange {
  readonly address: string
  readonly family: 'ipv4' | 'ipv6'
  /** Leading bits that count; at least one. */
  readonly prefix: number
}

/** Parses an address or a network; undefined when it is none, or has every address in it. */
export function readNetwork(text: string): NetworkRange | undefined {
  const [address = '', digits, ...more] = text.split('/')
  const version = isIP(address)
  const most = version === 4 ? 32 : 128
  const prefix = digits === undefined ? most : Number(digits)
  const isPrefix = digits === undefined || /^\d{1,3}$/.test(digits)
  if (version === 0 || more.length > 0 || address.includes('%') || !isPrefix) return undefined
  if (prefix < 1 || prefix > most) return undefined
  return { address, family: version === 4 ? 'ipv4' : 'ipv6', prefix }
}

/** Where `hookdrift serve` has the pages, and who may read them, there or at the worker. */
export type ServeSettings = ReturnType<typeof serveSettingsOf>
/** Says who its users are. */
export type TrustedProxy = NonNullable<ServeSettings['trustedProxy']>

export interface ReaderToken {
  /** undefined for the one token that has none. */
  readonly name: string | undefined
  /** A secret: for comparison only, never for a log or an answer. */
  readonly token: string
  /** Patterns of projects; undefined: all. */
  readonly projects?: readonly string[] | undefined
  readonly may?: readonly ReaderRight[] | undefined
}

export function serveSettingsOf({ listen, hosts, token, tokens = [], trusted_proxy: proxy }: DecodedServe = {}) {
  const all: readonly ReaderToken[] = [...(token === undefined ? [] : [{ name: undefined, token }]), ...tokens]
  return {
    listen: listen === undefined ? undefined : listenAddress(listen),
    hosts,
    tokens: all,
    trustedProxy: proxy && {
      /** In small letters. */
      header: proxy.header.toLowerCase(),
      networks: networksOf(proxy.addresses),
    },
  }
}

function networksOf(addresses: readonly string[]): readonly NetworkRange[] {
  return addresses.flatMap((text) => readNetwork(text) ?? [])
}

/** Whether everyone who reaches an address could read the pages there. */
export function isOpenToAll({ host }: ListenAddress, { tokens, trustedProxy }: ServeSettings): boolean {
  return !isLoopback(host) && tokens.length === 0 && trustedProxy === undefined
}

/** What to do about an address that everybody reaches. */
export const guardAdvice = 'add serve.token, serve.tokens or serve.trusted_proxy, or listen at 127.0.0.1'

/** Finds an address of pages that other machines reach, where nothing says who may read them. */
export function* findUnguarded(
  listen: string | number | undefined,
  { token, tokens, trusted_proxy: proxy }: Pick<DecodedServe, 'token' | 'tokens' | 'trusted_proxy'>,
  path: NodePath,
): Generator<ValueFault> {
  const address = listen === undefined ? undefined : listenAddress(listen)
  const isGuarded = token !== undefined || tokens !== undefined || proxy !== undefined
  if (address === undefined || isLoopback(address.host) || isGuarded) return
  yield {
    path,
    say: () => `the pages would be open to everyone who reaches ${address.host}: ${guardAdvice}`,
    // A faulty token was left out: its own fault says so.
    mayBeDueTo: ([first]) => first === 'serve',
  }
}

type ReaderTokens = Pick<DecodedServe, 'token' | 'tokens'>

/** Every token, with its path in `serve` and in that of its owner. */
export function* tokensOf({ token, tokens = [] }: ReaderTokens) {
  if (token !== undefined) yield { owner: [], name: undefined, token }
  for (const [index, { name, token }] of tokens.entries()) yield { owner: ['tokens', index], name, token }
}

/** Finds tokens and names that are there twice, and pages that everybody who reaches the address could read. */
function* findServeFaults(
  serve: ReaderTokens & Parameters<typeof findUnguarded>[1] & { readonly listen?: string | number | undefined },
): Generator<ValueFault> {
  yield* findUnguarded(serve.listen, serve, ['listen'])
  const tokens = [...tokensOf(serve)]
  yield* findRepeats(
    tokens.flatMap(({ owner, name }) => (name === undefined ? [] : [{ name, path: [...owner, 'name'], owner }])),
    (name, line) => `a second token named ${name}, the first is in line ${line}`,
  )
  yield* findRepeats(
    tokens.map(({ owner, token }) => ({ name: token, path: [...owner, 'token'], owner })),
    (_, line) => `the same token as in line ${line}: it would not say who reads`,
  )
}
