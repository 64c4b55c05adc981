import { parse as parseCsv } from 'csv-parse/sync'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { policyOf } from '../../test/audit/audit-harness.ts'
import { actsIn } from '../../test/pages/hostile-texts.ts'
import { argumentsOf, connectTo } from '../../test/pages/mcp-client.ts'
import { openSite } from '../../test/pages/open-site.ts'
import { openHistoryFixture } from '../../test/questions/history-fixture.ts'

const policy = policyOf('extends: [recommended]\nrules: { endpoint/url-not-https: high }\n')
/** In front of each text: what a browser would take for an element, and no page of ours has. */
const marker = (at: number) => `<zq-${at} onload=x>`

/** What some texts did, as names of resources, to pages, the feed, the API, tools and commands. `at`: which of them. */
export async function damageInAnswers(texts: readonly string[]): Promise<{ at: number; what: string }[]> {
  if (texts.length === 0) return []
  const fleet = generateFleet({ seed: 'texts', projects: 1, incomingEvery: 0, endpointsPerProject: texts.length })
  const story = await openHistoryFixture({ fleet })
  const project = fleet.projects()[0]?.uid ?? ''
  const uids = fleet.open(project).endpoints.map(({ uid }) => uid)
  await story.fixture.audit({ policy })
  for (const [at, text] of texts.entries()) {
    const named = `${marker(at)}${text}`.toWellFormed()
    changeEndpoint(fleet, { project, uid: uids[at] ?? '' }, (row) => {
      return { ...row, name: named, description: named, owner_id: named, url: 'http://plain.example/' }
    })
  }
  await story.fixture.audit({ policy })
  await using site = await openSite(story)
  const found: { at: number; what: string }[] = []
  const note = (what: string, at = 0) => found.push({ at, what })

  const pages = ['/', '/violations', '/resources', '/runs/2', '/compare?from=1&to=2', '/feed.atom']
  for (const path of [...pages, ...uids.map((uid) => `/resources/${uid}`)]) {
    const answer = await site.get(path)
    const page = await answer.text()
    if (!answer.ok) note(`${path} is ${answer.status}`)
    for (const [, at] of page.matchAll(/<zq-(\d+)/g)) note(`${path} has an element of a text`, Number(at))
    const acting = actsIn(page.replaceAll(/[\n\t]/g, ''))
    if (acting !== undefined) note(`${path} has U+${acting.codePointAt(0)?.toString(16)}`)
  }
  for (const path of ['state', 'violations', 'diff?from=1&to=2', 'timeline?uid=']) {
    const name = path === 'timeline?uid=' ? `${path}${uids[0]}` : path
    const text = await (await site.get(`/api/v1/${name}`)).text()
    JSON.parse(text)
    if (actsIn(text.replaceAll('\n', '')) !== undefined) note(`/api/v1/${name} has characters that act`)
  }
  for (const [command, ...args] of [
    ['state'],
    ['violations'],
    ['diff', '1', '2'],
    ['timeline', uids[0] ?? ''],
    ['restore', uids[0] ?? ''],
  ]) {
    for (const format of ['text', 'json', 'csv']) {
      const { stdout } = await story.ask([command ?? '', ...args, '--format', format])
      const acting = actsIn(stdout.replaceAll(/\r?\n/g, ''))
      if (acting !== undefined) note(`${command} in ${format} has U+${acting.codePointAt(0)?.toString(16)}`)
      if (format === 'json') JSON.parse(stdout)
      if (format !== 'csv') continue
      const cells: string[][] = parseCsv(stdout, { relax_column_count: false })
      if (cells.flat().some((cell) => /^["\s]*[=+\-@]/.test(cell) && !/^-?\d+(\.\d+)?$/.test(cell)))
        note(`${command} in CSV has a formula`)
    }
  }
  await using client = await connectTo((request) => site.site.fetch(request))
  const { tools } = await client.listTools()
  const known = { uid: uids[0] ?? '', a: 'acme/payments', b: 'acme/payments', from: '1' }
  for (const tool of tools.filter(({ name }) => /state|violations|timeline|diff/.test(name))) {
    const { content, isError } = await client.callTool({ name: tool.name, arguments: argumentsOf(tool, known) })
    const [first] = content as readonly { readonly type: string; readonly text?: string }[]
    if (isError === true) note(`the tool ${tool.name} fails`)
    else if (first?.text !== undefined) JSON.parse(first.text)
  }
  return found
}
