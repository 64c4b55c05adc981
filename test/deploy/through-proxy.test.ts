import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDirectory, startProgram } from '../cli/start-process.ts'
import { checkout } from './build-image.ts'
import { startForge } from './fake-forge.ts'

const scripts = join(checkout, 'deploy/ci')
const sent = { HOOKDRIFT_SERVE_TOKEN: 'not-a-real-token', AUDIT_NOTE: 'deploy 4.2', AUDIT_HISTORY: '' }

/** A port of this machine that remembers what came in, and forwards nothing. */
async function startPort() {
  const got: string[] = []
  const remember = ({ method, url, headers }: IncomingMessage) =>
    void got.push(`${method} ${url} ${headers.authorization ?? ''}`.trim())
  const server = createServer((request, response) => {
    remember(request)
    response.writeHead(201).end('{}')
  })
  server.on('connect', (request, socket) => {
    remember(request)
    socket.end('HTTP/1.1 502 no\r\n\r\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
  return {
    got,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Runs a script of `deploy/ci` with the hookdrift of the checkout. */
async function run(env: Readonly<Record<string, string>>, url: string, script: string, ...args: readonly string[]) {
  using directory = openDirectory()
  const start = join(checkout, 'src/cli/start.ts')
  chmodSync(directory.write('hookdrift', `#!/bin/sh\nexec '${process.execPath}' '${start}' "$@"\n`), 0o755)
  const given = args.map((arg) => (arg === 'report.md' ? directory.write(arg, '# one') : arg))
  return await startProgram('sh', [join(scripts, 'through-proxy.sh'), url, join(scripts, script), ...given], {
    cwd: directory.path,
    env: { ...env, PATH: `${directory.path}:${process.env.PATH}` },
  }).ended
}

describe('the scripts of a pipeline, behind a proxy', () => {
  it.each([
    ['has the network of the receiver', { NO_PROXY: '10.0.0.0/8,127.0.0.0/8', no_proxy: '' }],
    ['has its port as well', { no_proxy: '127.0.0.0/8:PORT', NO_PROXY: '*.invalid' }],
  ])('send no token to it where NO_PROXY %s', async (_, { NO_PROXY, no_proxy }) => {
    await using port = await startPort()
    await using proxy = await startPort()
    const env = {
      ...sent,
      HOOKDRIFT_SERVE_URL: port.url,
      HTTP_PROXY: proxy.url,
      NODE_USE_ENV_PROXY: '1',
      NO_PROXY,
      no_proxy: no_proxy.replace('PORT', new URL(port.url).port),
    }
    const { code, stderr } = await run(env, port.url, 'note.mjs', 'gitlab')
    expect([code, stderr]).toEqual([0, expect.stringContaining('noted in HOOKDRIFT_SERVE_URL')])
    expect(port.got).toEqual(['POST /api/v1/notes Bearer not-a-real-token'])
    expect(proxy.got).toEqual([])
  })

  it.each([
    ['in small letters', 'http_proxy', ''],
    ['in capitals, next to an empty one', 'HTTP_PROXY', ''],
    ['and NO_PROXY lists other networks', 'HTTP_PROXY', '10.0.0.0/8'],
  ])('ask it where the environment names it %s', async (_, name, NO_PROXY) => {
    await using port = await startPort()
    await using proxy = await startPort()
    const env = { ...sent, HOOKDRIFT_SERVE_URL: port.url, http_proxy: '', NO_PROXY, [name]: proxy.url.slice(7) }
    const { code } = await run(env, port.url, 'note.mjs', 'gitlab')
    expect([code, port.got]).toEqual([0, []])
    expect(proxy.got.map((line) => line.split(' ')[0])).toEqual([expect.stringMatching(/CONNECT|POST/)])
  })

  it('send nothing, and say why, where an entry of NO_PROXY is not understood', async () => {
    await using port = await startPort()
    await using proxy = await startPort()
    const env = { ...sent, HOOKDRIFT_SERVE_URL: port.url, HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.0/33' }
    const { code, stderr } = await run(env, port.url, 'note.mjs', 'gitlab')
    expect([code, port.got, proxy.got]).toEqual([0, [], []])
    expect(stderr).toContain('NO_PROXY has an entry that is not understood: "127.0.0.0/33"')
    expect(stderr).toContain('nothing is sent')
  })

  it('write their comment past it, token and all', async () => {
    await using forge = await startForge()
    await using proxy = await startPort()
    const env = {
      CI_API_V4_URL: forge.url,
      CI_PROJECT_ID: '5',
      CI_MERGE_REQUEST_IID: '12',
      CI_JOB_URL: 'https://forge.example/acme/hooks/-/jobs/99',
      HOOKDRIFT_GITLAB_TOKEN: 'not-a-real-token',
      HTTP_PROXY: proxy.url,
      NO_PROXY: '127.0.0.0/8',
    }
    const { stdout } = await run(env, forge.url, 'comment.mjs', 'gitlab', 'report.md')
    expect([stdout, proxy.got]).toEqual(['hookdrift: wrote a comment\n', []])
  })

  it('run without a URL to send to', async () => {
    expect(await run({ ...sent, AUDIT_NOTE: 'off' }, '', 'note.mjs', 'gitlab')).toMatchObject({ code: 0, stderr: '' })
  })
})
