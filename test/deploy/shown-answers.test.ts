import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { command } from '../cli/run-in-process.ts'
import { openDirectory } from '../cli/start-process.ts'
import { checkout } from './build-image.ts'
import { commandsIn } from './parse-command.ts'

/** Blocks that show one command and what it answers, as pages have them that were made from a demo. */
const blocksOf = (page: string) =>
  [...readFileSync(join(checkout, page), 'utf8').matchAll(/^```console\n(\$ hookdrift .*?)^```/gms)]
    .map(([, block = '']) => block)
    .filter((block) => block.match(/^\$ /gm)?.length === 1)
    // Of a fault, which a demo has none of.
    .filter((block) => !block.includes('INCOMPLETE LOOK'))
const blocks = ['docs/reading.md', 'docs/compliance.md'].flatMap((page) =>
  blocksOf(page)
    .filter((block) => block.trim().includes('\n'))
    // Of files that the reader has.
    .filter((block) => !/--policy|--attestation|keygen/.test(block))
    .map((block) => ({ page, block })),
)

/** Without what differs from run to run, and without what is filled up with blanks around that. */
const bare = (line: string) =>
  line
    .replace(/\d{4}-\d\d-\d\d( \d\d:\d\d UTC)?/g, 'TIME')
    .replace(/\b\d+ (m?s|min|h)\b/g, 'AGE')
    .replace(/\s+/g, ' ')
    .trim()

let directory: ReturnType<typeof openDirectory>

beforeAll(async () => {
  directory = openDirectory()
  const { code } = await command(['demo', '--keep', 'demo'], { cwd: directory.path })
  expect(code).toBe(0)
})
afterAll(() => directory[Symbol.dispose]())

it.each(blocks)('$page shows what the demo answers: $block', async ({ block }) => {
  const [args = []] = commandsIn(`\`\`\`console\n${block}\`\`\`\n`)
  const { stdout, stderr } = await command(args, { cwd: directory.file('demo') })
  expect(stderr).toBe('')
  const shown = block.split('\n').slice(1).map(bare)
  const answered = new Set(stdout.split('\n').map(bare))
  expect(shown.filter((line) => line !== '' && line !== '…' && !answered.has(line))).toEqual([])
})
