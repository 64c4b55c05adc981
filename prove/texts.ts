import fc from 'fast-check'
import { createRandom } from '../src/demo/random.ts'
import { arbitraryReport, hostileText } from '../test/report/arbitrary-report.ts'
import { damageIn } from '../test/report/hostile-input.ts'
import { type Breach, type Range, runCases } from './run-cases.ts'
import { damageInAnswers } from './texts/answers.ts'
import { damageInMessages } from './texts/messages.ts'

/**
 * Sends texts that a terminal, a browser, a spreadsheet, a forge, a chat, a mail reader or an assistant would act on
 * through every output: reports in all formats, messages of all channels, pages, the feed, the API, tools and commands.
 * Each is read back, by readers that are not ours where there are some. `node prove/texts.ts [cases] [seed]`.
 */
const atOnce = 60

await runCases({ script: import.meta.url, atOnce, deadlineMs: 900_000, prove })

async function prove({ seed, from, to }: Range): Promise<readonly Breach[]> {
  const found: Breach[] = []
  const shown: { index: number; text: string }[] = []
  for (let index = from; index < to; index++) {
    const number = createRandom(`texts/${seed}/${index}`).bits() >>> 1
    const once = { seed: number, numRuns: 1 }
    if (index % 6 === 0) shown.push(...fc.sample(hostileText, once).map((text) => ({ index, text })))
    else if (index % 6 === 1) {
      const property = fc.asyncProperty(hostileText, async (text) => {
        const damage = await damageInMessages(text)
        if (damage.length > 0) throw new Error(damage.join('; '))
      })
      found.push(...breachesOf(index, await fc.check(property, once)))
    } else {
      const property = fc.property(arbitraryReport, (report) => {
        const damage = damageIn(report)
        if (damage.length > 0) throw new Error(damage.join('; '))
      })
      found.push(...breachesOf(index, fc.check(property, once)))
    }
  }
  for (const { at, what } of await damageInAnswers(shown.map(({ text }) => text))) {
    const { index = from, text = '' } = shown[at] ?? {}
    const shrunk = JSON.stringify(text).slice(0, 400)
    found.push({ index, promise: 'other', what, shrunk, size: shrunk.length })
  }
  return found
}

/** Of `fc.RunDetails`, for any property. */
interface Checked {
  readonly failed: boolean
  readonly counterexample: readonly unknown[] | null
  readonly errorInstance: unknown
}

/** What fast-check made of a failure: it leaves out what is not needed. */
function breachesOf(index: number, { failed, counterexample, errorInstance }: Checked): Breach[] {
  if (!failed) return []
  const what = errorInstance instanceof Error ? errorInstance.message.slice(0, 300) : 'it failed'
  const shrunk = JSON.stringify(counterexample?.[0])
  return [{ index, promise: 'other', what, shrunk: shrunk.slice(0, 600), size: shrunk.length }]
}
