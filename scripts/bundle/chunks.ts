import { join } from 'node:path'
import type { CodeSplittingNameFunction } from 'rolldown'

/**
 * What is loaded together lies in one file: each file takes Node a millisecond. By chunk, the files whose imports it
 * holds; a module of several chunks goes into the first. What none of them imports is split by its importers.
 */
const roots = {
  start: ['cli/main', 'app/system', 'rules/shared/listed'],
  answer: [
    ...['cli/print-answer', 'cli/query-options', 'cli/ask', 'report/formats', 'report/group-by'],
    'app/watch-run',
    ...['report/report-items', 'report/text/show-time'],
    // Of rules, and of what is compared.
    ...['gateway/signatures', 'model/parse-address'],
  ],
  history: [
    ...['history/sqlite/sqlite-history', 'history/sqlite/network-file-system', 'history/sqlite/space-of-file'],
    ...['history/sql/list-resources', 'history/sql/differing', 'history/sql/resource-life', 'questions/runs'],
  ],
  rules: ['rules/rules', 'questions/answer-rules', 'model/text/nearest-name'],
  // What compares resources, for answers too.
  compared: [
    'gateway/inventory/compare-fields',
    'gateway/inventory/describe-unknown',
    'gateway/inventory/diff-attributes',
    'gateway/inventory/malformed',
  ],
  audit: ['cli/audit', 'policy/policy-steps'],
  upkeep: ['history/sqlite/sqlite-upkeep'],
  text: ['report/text'],
  // Only for a history on a server.
  postgres: ['history/postgres/postgres-history', 'history/postgres/postgres-upkeep'],
} as const

/** They wait for what they import later: a file that imports their chunk would wait for itself. */
const waiting = /\/cli\/main\.ts$/

/** Names the chunk of each module of a checkout's source, or leaves it to the bundler. */
export function chunksOf(checkout: string): CodeSplittingNameFunction {
  let chunks: ReadonlyMap<string, string> | undefined
  return (id, modules) => {
    if (chunks === undefined) {
      const found = new Map<string, string>()
      for (const [chunk, files] of Object.entries(roots)) {
        const left = files.map((file) => join(checkout, `src/${file}.ts`))
        for (let module = left.pop(); module !== undefined; module = left.pop()) {
          if (found.has(module)) continue
          if (!waiting.test(module)) found.set(module, chunk)
          left.push(...(modules.getModuleInfo(module)?.importedIds ?? []))
        }
      }
      chunks = found
    }
    return chunks.get(id) ?? null
  }
}
