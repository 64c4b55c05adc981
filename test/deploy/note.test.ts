import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { openDirectory, startProgram } from '../cli/start-process.ts'
import { checkout } from './build-image.ts'

const program = join(checkout, 'deploy/ci/note.mjs')
const sha = '1f0c9a2b7d6e5f40312233445566778899aabbcc'
const github = {
  GITHUB_WORKFLOW: 'deploy',
  GITHUB_EVENT_NAME: 'push',
  GITHUB_REF_NAME: 'main',
  GITHUB_SERVER_URL: 'https://forge.example',
  GITHUB_REPOSITORY: 'acme/hooks',
  GITHUB_SHA: sha,
  GITHUB_ACTOR: 'ada',
}
const gitlab = {
  CI_PIPELINE_SOURCE: 'push',
  CI_PROJECT_PATH: 'acme/hooks',
  CI_PROJECT_URL: 'https://forge.example/acme/hooks',
  CI_COMMIT_REF_NAME: 'main',
  CI_COMMIT_SHA: sha,
  GITLAB_USER_LOGIN: 'ada',
}

/** A port that takes notes, or refuses them. */
async function startPort(status = 201) {
  const taken: unknown[] = []
  const server = createServer(async ({ method, url, headers: { authorization } }, response) => {
    taken.push([method, url, authorization])
    response.writeHead(status).end('{}')
  })
  server.on('request', async (request) => taken.push(JSON.parse(await text(request))))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
  return {
    taken,
    env: { HOOKDRIFT_SERVE_URL: `http://127.0.0.1:${port}/`, HOOKDRIFT_SERVE_TOKEN: 'not-a-real-token' },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Notes in a directory where `hookdrift` writes its arguments, a line each. Like the real one, it takes a null device that
 * a library opened for its output for a closed one.
 */
async function note(place: string, env: Readonly<Record<string, string>>, hasHistory = true) {
  using directory = openDirectory()
  const isClosed = '[ "$(readlink "/proc/$$/fd/1")" = /dev/null ]'
  const command = directory.write(
    'hookdrift',
    `#!/bin/sh\nprintf "%s\\n" "$@" >"$(dirname -- "$0")/said"\n${isClosed} && exit 4\necho noted\n`,
  )
  chmodSync(command, 0o755)
  const said = directory.write('said', '')
  const history = hasHistory ? directory.write('history.db', 'x') : directory.file('none.db')
  const path = `${directory.path}:${process.env.PATH}`
  const ended = await startProgram(process.execPath, [program, place], {
    cwd: directory.path,
    env: { ...env, AUDIT_HISTORY: history, PATH: path },
  }).ended
  const lines = readFileSync(said, 'utf8').split('\n').slice(0, -1)
  return { ...ended, said: lines.map((line) => line.replace(directory.path, '')) }
}

describe.each([
  ['github', github, 'deploy: push of main', 'https://forge.example/acme/hooks/commit/'],
  ['gitlab', gitlab, 'acme/hooks: push of main', 'https://forge.example/acme/hooks/-/commit/'],
] as const)('the note of a job on %s', (place, env, said, start) => {
  it('is recorded in the history, and over the port of the pages where one is given', async () => {
    await using port = await startPort()
    const { code, said: args, stdout, stderr } = await note(place, { ...env, ...port.env })
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain(`noted in the history: "${said}"`)
    expect(stderr).not.toContain('not noted')
    expect(args).toEqual(['note', '--history=/history.db', '--by=ada', `--ref=${start}${sha}`, '--', said])
    expect(port.taken).toEqual(
      expect.arrayContaining([
        ['POST', '/api/v1/notes', 'Bearer not-a-real-token'],
        { text: said, ref: `${start}${sha}` },
      ]),
    )
  })

  it('is none on a schedule, without a history, and where it is off', async () => {
    const scheduled = place === 'github' ? { GITHUB_EVENT_NAME: 'schedule' } : { CI_PIPELINE_SOURCE: 'schedule' }
    expect((await note(place, { ...env, ...scheduled })).said).toEqual([])
    expect((await note(place, { ...env, AUDIT_NOTE: 'off' })).said).toEqual([])
    expect((await note(place, env, false)).said).toEqual([])
    const given = await note(place, { ...env, ...scheduled, AUDIT_NOTE: '--list $(id)' })
    expect(given.said.slice(-2)).toEqual(['--', '--list $(id)'])
  })

  it('fails no job where it is refused', async () => {
    await using port = await startPort(403)
    const { code, stderr } = await note(place, { ...env, ...port.env })
    expect(code).toBe(0)
    expect(stderr).toContain('not noted in HOOKDRIFT_SERVE_URL: it answered 403')
  })
})
