import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** Both ways to begin: with a handshake, and with none. */
export const eras = { legacy: { mode: 'legacy' }, modern: { mode: { pin: '2026-07-28' } } } as const satisfies Record<
  string,
  ClientOptions['versionNegotiation']
>

export type Era = keyof typeof eras

export function aClient(era: Era): Client {
  return new Client({ name: 'a test', version: '1' }, { versionNegotiation: eras[era] })
}

/** The official client, of a site that answers in this process. */
export async function connectTo(
  ask: (request: Request) => Response | Promise<Response>,
  { era = 'modern', headers = {} }: { readonly era?: Era; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Client & AsyncDisposable> {
  const client = aClient(era)
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: async (url, init) => ask(new Request(url, { ...init, headers: withHost(init?.headers) })),
    requestInit: { headers },
  })
  await client.connect(transport)
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

function withHost(headers: RequestInit['headers']) {
  const all = new Headers(headers)
  all.set('host', 'localhost')
  return all
}

/** The arguments that a tool needs, and the resource where it may be about one. */
export function argumentsOf(tool: { readonly inputSchema: object }, known: Readonly<Record<string, string>>) {
  const { required = [], properties } = tool.inputSchema as {
    readonly required?: readonly string[]
    readonly properties: object
  }
  const names = Object.keys(properties).filter((name) => name === 'uid' || required.includes(name))
  return Object.fromEntries(names.map((name) => [name, known[name] ?? '']))
}

/** A request to preview: it deletes the first endpoint of an answer of `state`. */
export function removalIn({ rows }: { readonly rows: readonly StateRow[] }, project?: string): string {
  const row = rows.find((one) => one.kind === 'endpoint' && (project === undefined || one.project === project))
  return JSON.stringify({ method: 'DELETE', path: `/projects/${row?.attributes.project_id}/endpoints/${row?.uid}` })
}

interface StateRow {
  readonly project: string
  readonly kind: string
  readonly uid: string
  readonly attributes: { readonly project_id?: string }
}
