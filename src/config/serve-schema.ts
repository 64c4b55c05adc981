import { isIP } from 'node:net'
import { z } from 'zod'
import { referenceForms } from './expand-references.ts'
import { hostsSchema, listenSchema } from './listen-schema.ts'
import { projectPatterns } from './project-patterns.ts'

const token = z.string().regex(/^[\x21-\x7e]{20,200}$/, {
  error: '20 to 200 visible ASCII characters without blanks or line breaks',
})

/** They carry something else than the name of a user. */
const otherHeaders = ['authorization', 'cookie', 'host', 'origin']
const network = 'an IP address, or a network such as `10.0.0.0/8`; not all addresses'

/** Who reads the pages, and where: `check-configuration.ts` says what else must be true. */
export const serveSchema = z.strictObject({
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
        .describe('In which the proxy names its user. It must replace what a client sends'),
      addresses: z
        .array(z.string().refine((text) => readNetwork(text) !== undefined, { error: network }))
        .min(1)
        .max(100)
        .describe('From which the header is believed: IP addresses, or networks such as 10.0.0.0/8'),
    })
    .exactOptional()
    .describe('A proxy in front that knows its users. They read all projects, or those of a token that they send'),
})

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
