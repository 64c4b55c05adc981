/**
 * Preloaded by `bench/path.ts`: writes the longest way from the audit of a project to a rule to the file that `TRACE`
 * names, frame by frame. Rules list the members of objects: that call shows the way to them.
 */
import { writeFileSync } from 'node:fs'

Error.stackTraceLimit = Number.POSITIVE_INFINITY
const { entries } = Object
let longest: readonly string[] = []
Object.entries = (object: object) => {
  const stack = (new Error().stack ?? '').split('\n')
  const frames = stack.flatMap((line) => /\/(src\/[^:)]+:\d+)/.exec(line)?.[1] ?? []).reverse()
  const rule = frames.findIndex((frame) => /^src\/rules\/(?!engine)/.test(frame))
  if (rule + 1 > longest.length) longest = frames.slice(0, rule + 1)
  return entries(object)
}
process.on('exit', () => writeFileSync(process.env.TRACE ?? '', longest.join('\n')))
