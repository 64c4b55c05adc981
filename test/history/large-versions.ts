import type { History } from '../../src/history/history.ts'
import { knownIn } from './known-in.ts'
import { aStart, at, aVersion, payments, walkAll } from './samples.ts'

/** Runs of which each replaces the same endpoint by another one with a long text. */
export async function replaceLargeVersions(
  history: History,
  { runs, characters }: { readonly runs: number; readonly characters: number },
): Promise<void> {
  for (let index = 1; index <= runs; index += 1) {
    const draft = await history.begin(aStart(at(index * 24)))
    await walkAll(draft)
    const known = (await knownIn(draft, payments, 'endpoint', ['a'])).get('a')
    const body = { text: `${index % 10}`.repeat(characters) }
    await draft.stage(payments, [aVersion('a', body, { replaces: known?.id })])
    await draft.commit(at(index * 24 + 1), () => 0)
  }
}
