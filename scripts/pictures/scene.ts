import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '../../src/cli/run-command.ts'
import { afternoonOf } from '../../src/demo/colleague.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { readScrape, type Scrape } from './dashboard.ts'

export interface Scene {
  /** With the colours of a terminal, as narrow as a phone can show it. */
  readonly terminal: string
  readonly html: string
  /** The same run by the controls of SOC 2. */
  readonly compliance: string
  /** As it was posted to the chat. */
  readonly chat: string
  readonly scrapes: readonly Scrape[]
}

/** Audits a simulated fleet before and after a colleague's mistakes, once by hand and once by a worker. `history`: its file. */
export async function playScene(history: string): Promise<Scene> {
  const fleet = generateFleet({ seed: 'hookdrift', endpointsPerProject: 12, sourcesPerProject: 4 })
  const directory = mkdtempSync(join(tmpdir(), 'hookdrift-pictures-'))
  const posted: string[] = []
  const chat = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      posted.push(JSON.parse(body).text)
      response.end('ok')
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => chat.once('listening', resolve))
  const port = (await freePort()).toString()
  await using service = await startSimulatedService(fleet)
  const before = process.cwd()
  process.chdir(directory)
  try {
    const run = (...args: readonly string[]) => runHere(args, directory, fleet.personalKey)
    const projects = fleet.projects().map(({ uid, name }) => `      - { id: ${uid}, name: ${name} }`)
    writeFileSync(join(directory, 'policy.yaml'), 'extends: [recommended]\nrules: { endpoint/url-test-host: off }\n')
    writeFileSync(
      join(directory, 'hookdrift.yaml'),
      `policy: ./policy.yaml
history: ${history}
worker: { listen: 127.0.0.1:${port} }
schedules: [{ name: often, cron: "*/2 * * * * *", run_on_start: true }]
notify: [{ name: chat, type: slack, url: http://127.0.0.1:${(chat.address() as AddressInfo).port}/, min_severity: medium }]
ui_url: https://convoy.example.com/projects/{project_id}/{listing}/{uid}
report_url: https://reports.example.com/{directory}/report.html#v-{fingerprint}
services:
  - name: acme
    url: ${service.url}
    key: \${DEMO_KEY}
    projects:
${projects.join('\n')}
`,
    )
    await run('audit', '--quiet')
    const [first, second, ...later] = afternoonOf(fleet)
    first?.apply()
    second?.apply()
    await run('audit', '--project', 'acme/payments')
    const terminal = await runHere(['report'], directory, fleet.personalKey, 62)
    const html = await run('report', '--format', 'html')
    const compliance = await run('report', '--framework', 'soc2', '--format', 'html')
    const message = posted.at(-1) ?? ''
    const scrapes = await watchWorker(directory, fleet.personalKey, port, later)
    return { terminal, html, compliance, chat: message, scrapes }
  } finally {
    process.chdir(before)
    chat.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function runHere(args: readonly string[], cwd: string, key: string, columns = 100): Promise<string> {
  const chunks: string[] = []
  const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY, columns })
  const [stdout, stderr] = [stream(true), stream(false)]
  stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
  stderr.resume()
  await runCommand(args, { stdout, stderr, env: { DEMO_KEY: key }, cwd: () => cwd })
  return chunks.join('')
}

interface Edit {
  apply(): void
}

/** Half a minute of a worker that audits every two seconds, with an edit now and then. */
async function watchWorker(cwd: string, key: string, port: string, edits: readonly Edit[]): Promise<readonly Scrape[]> {
  const scrapes: Scrape[] = []
  const ended = runHere(['worker'], cwd, key)
  await sleep(2500)
  for (let second = 0; second < 32; second++) {
    if (second % 7 === 6) edits[(second - 6) / 7]?.apply()
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
    scrapes.push(readScrape(Date.now() / 1000, await answer.text()))
    await sleep(1000)
  }
  process.emit('SIGTERM')
  await ended
  return scrapes
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
  await new Promise((resolve) => server.close(resolve))
  return port
}
