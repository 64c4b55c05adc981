// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entriesFor } from '../../src/cli/api/api-entries.ts'
import { aClient, argumentsOf, type Era, eras, removalIn } from '../pages/mcp-client.ts'
import { command } from './run-in-process.ts'
import { openDirectory, startHookdrift } from './start-process.ts'

const main = join(import.meta.dirname, '../../src/cli/main.ts')

let directory: ReturnType<typeof openDirectory>
let known: Readonly<Record<string, string>>
beforeAll(async () => {
  directory = openDirectory()
  const run = (line: string) => command(line, { cwd: directory.path, env: { HOOKDRIFT_LOG: 'silent' } })
  await run('demo --keep demo')
  await run('baseline approve --run 1 --by me --history demo/hookdrift.db')
  const { rows } = JSON.parse((await run('violations --format json --history demo/hookdrift.db')).stdout)
  const request = removalIn(JSON.parse((await run('state --format json --history demo/hookdrift.db')).stdout))
  known = { uid: rows[0].uid, a: 'demo/orders', b: 'demo/payments', from: '1', request }
}, 60_000)
afterAll(() => directory[Symbol.dispose]())

/** The command, with what it is sent and what it says. */
async function say(input: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [main, 'mcp', ...args], { cwd: directory.path, timeout: 60_000 })
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'close')])
  const lines = stdout.split('\n')
  expect(lines.pop()).toBe('')
  return { code, stderr, answers: lines.map((line) => JSON.parse(line)) }
}

const request = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const history = ['--history', 'demo/hookdrift.db']

describe('hookdrift mcp', () => {
  it.each(Object.keys(eras) as Era[])('answers every question of a client of the %s protocol', async (era) => {
    const client = aClient(era)
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [main, 'mcp', ...history],
      cwd: directory.path,
      stderr: 'pipe',
    })
    let stderr = ''
    transport.stderr?.on('data', (part) => {
      stderr += part
    })
    await client.connect(transport)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(entriesFor(false)))
    for (const tool of tools) {
      const { isError, structuredContent, content } = await client.callTool({
        name: tool.name,
        arguments: argumentsOf(tool, known),
      })
      expect([tool.name, isError]).toEqual([tool.name, undefined])
      expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
      expect(structuredContent).toMatchObject({ scans: { last_run: 2, projects: 3 } })
    }
    await client.close()
    expect(stderr).toBe('')
  })

  it('ends with its pipe, after the answer to what came through it', async () => {
    const { code, stderr, answers } = await say(
      `${request(1, 'ping')}${request(2, 'tools/call', { name: 'runs' }).trim()}`,
      ...history,
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(answers).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: { structuredContent: { run: { number: 2 } } } },
    ])
    expect(await say('', ...history)).toEqual({ code: 0, stderr: '', answers: [] })
  })

  it('ends when its reader is gone', async () => {
    const child = spawn(process.execPath, [main, 'mcp', ...history], { cwd: directory.path, timeout: 60_000 })
    child.stdin.on('error', () => {})
    child.stdin.write(request(1, 'ping'))
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const more = setInterval(() => child.stdin.write(request(2, 'tools/list')), 20)
    const [code] = await once(child, 'close')
    clearInterval(more)
    expect(code).toBe(0)
  })

  it('answers nonsense with errors, and goes on', async () => {
    const nonsense = [
      'not json\n',
      '\n',
      `${'x'.repeat(3_000_000)}\n`,
      '[]\n',
      `${JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'ping' }])}\n`,
      '{"jsonrpc":"2.0","method":"notifications/cancelled"}\r\n',
      request(2, 'nothing'),
      request(3, 'tools/call', { name: 'violations', arguments: 'x' }),
      request(4, 'tools/call', { name: 'violations', arguments: { severity: 'worst' } }),
      request(5, 'ping'),
    ]
    const { code, stderr, answers } = await say(nonsense.join(''), ...history)
    expect([code, stderr]).toEqual([0, ''])
    expect(answers.map(({ id, error, result }) => [id, error?.code ?? result.isError ?? 'fine'])).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      [2, -32601],
      [3, -32602],
      [4, true],
      [5, 'fine'],
    ])
  })

  it('says what keeps it from the history, and finds it once it is there', async () => {
    const file = directory.file('later.db')
    const client = aClient('legacy')
    const args = [main, 'mcp', '--history', file]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: directory.path }))
    const ask = async () => {
      const { isError, content } = await client.callTool({ name: 'violations', arguments: { limit: 1 } })
      return [isError, content[0]?.type === 'text' ? content[0].text : '']
    }
    const [isError, said] = await ask()
    expect(isError).toBe(true)
    expect(said).toBe(`there is no history at ${file}\nrun an audit first, or name another history`)
    copyFileSync(directory.file('demo/hookdrift.db'), file)
    expect((await ask())[0]).toBeUndefined()
    rmSync(file)
    expect((await ask())[0]).toBe(true)
    await client.close()
  })

  it('says without a configuration that there is none, as an answer', async () => {
    const { code, answers } = await say(request(1, 'tools/call', { name: 'status' }))
    expect(code).toBe(0)
    expect(answers[0].result.isError).toBe(true)
    expect(answers[0].result.content[0].text).toContain('hookdrift.yaml')
  })
})

describe('the port of hookdrift serve', () => {
  it('answers assistants as the readers that their tokens name', async () => {
    const [whole, team] = ['not-a-real-token-of-all', 'not-a-real-token-of-a-team']
    directory.write(
      'hookdrift.yaml',
      `history: demo/hookdrift.db
services: [{ name: demo, url: https://a.example, key: "\${ACME_KEY}", projects: [{ id: p1, name: orders }] }]
serve:
  tokens:
    - { name: all, token: ${whole} }
    - { name: team, token: ${team}, projects: [demo/orders] }
`,
    )
    const running = startHookdrift('serve --listen 127.0.0.1:0', { cwd: directory.path, env: {} })
    const url = await new Promise<string>((resolve) =>
      running.child.stdout?.on('data', (text) => resolve(/http:\/\/\S+(?=\/ )/.exec(text)?.[0] ?? '')),
    )
    const open = async (token: string, era: Era) => {
      const client = aClient(era)
      // Without one that is kept, none is closed while a busy machine uses it again.
      const requestInit = { headers: { authorization: `Bearer ${token}`, connection: 'close' } }
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
      return client
    }
    for (const era of Object.keys(eras) as Era[]) {
      const [all, some] = [await open(whole, era), await open(team, era)]
      const names = async (client: typeof all) => (await client.listTools()).tools.map(({ name }) => name)
      expect(await names(all)).toEqual(Object.keys(entriesFor(false)))
      expect(await names(some)).toEqual(Object.keys(entriesFor(false)).filter((name) => name !== 'notify'))
      const text = async (client: typeof all) =>
        JSON.stringify((await client.callTool({ name: 'state', arguments: { limit: 'all' } })).structuredContent)
      expect(await text(all)).toContain('demo/payments')
      expect(await text(some)).toContain('demo/orders')
      expect(await text(some)).not.toContain('demo/payments')
      await Promise.all([all.close(), some.close()])
    }
    await expect(open('not-a-real-token', 'legacy')).rejects.toThrow()
    const body = request(1, 'ping')
    const refused = await fetch(`${url}/mcp`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="hookdrift"'])
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${whole}` }
    const long = await fetch(`${url}/mcp`, { method: 'POST', body: 'x'.repeat(5000), headers })
    expect(long.status).toBe(413)
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 143 })
  })
})
