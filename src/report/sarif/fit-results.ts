import { gzipSync } from 'node:zlib'
import { count } from '../../text/count.ts'

/** The limits of code scanning for a run: results, and compressed bytes. */
const mostResults = 25_000
const mostPackedBytes = 10_000_000
/** The part of these bytes for rules and notifications. */
const reservedBytes = 1_000_000

/** The first lines, as many as fit. The lines are results as JSON, the most severe first. */
export function fitResults(lines: readonly string[]): readonly string[] {
  let fitting = lines.slice(0, mostResults)
  for (;;) {
    const packed = packedSize(fitting)
    const room = mostPackedBytes - reservedBytes
    if (packed <= room) return fitting
    fitting = fitting.slice(0, Math.floor(fitting.length * Math.min(0.95, (room / packed) * 0.97)))
  }
}

/** Small text needs no compression to know that it fits; a quick compression is never smaller than a good one. */
function packedSize(lines: readonly string[]): number {
  const text = lines.join(',\n')
  const bytes = Buffer.byteLength(text)
  return bytes <= mostPackedBytes - reservedBytes ? bytes : gzipSync(text, { level: 1 }).length
}

export function describeOmitted(all: number, kept: number, run: number): string | undefined {
  if (kept === all) return undefined
  const left = `${count(all - kept, 'result')} of ${all} omitted, the least severe`
  return `${left}: readers accept ${mostResults} and ${mostPackedBytes / 1_000_000} MB compressed; hookdrift report --run ${run} --format json shows all`
}
