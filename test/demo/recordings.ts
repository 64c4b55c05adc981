import { readFileSync } from 'node:fs'
import { type RecordedExchange, readExchanges } from '../service/replay-server.ts'

export function recording(name: string): readonly RecordedExchange[] {
  return readExchanges(readFileSync(new URL(`../fixtures/recordings/${name}.jsonl`, import.meta.url), 'utf8'))
}
