import { readFileSync } from 'node:fs'
import { type Exchange, readExchanges } from '../../src/demo/replay.ts'

export function recording(name: string): readonly Exchange[] {
  return readExchanges(readFileSync(new URL(`../fixtures/recordings/${name}.jsonl`, import.meta.url), 'utf8'))
}
