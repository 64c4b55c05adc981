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
