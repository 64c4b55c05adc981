import { configuredPaths, hasConfiguration, namedHistory } from '../../app/locate-history.ts'
import { namesIn } from '../../app/open-history.ts'
import type { ProcessContext } from '../../app/process-context.ts'
import { readLocation } from '../../history/location.ts'
import type { Candidate, FindWords, WordSource } from './complete.ts'

type Given = ReadonlyMap<string, string>

/** Finds words where they are: in the package, in the configuration, in the history. */
export function wordFinder(terminal: ProcessContext): FindWords {
  return async (source, prefix, given) => {
    if (isFixed(source)) return fixedWords(source)
    if (source === 'projects') {
      const [configured, known] = await Promise.all([
        quietly(() => configuredProjects(given, terminal)),
        quietly(() => historyNames('projects', prefix, given, terminal)),
      ])
      const names = new Set([...configured, ...known].map(({ value }) => value))
      return [...names].sort().map((value) => ({ value, about: '' }))
    }
    const names = await quietly(() => historyNames(source, prefix, given, terminal))
    return source === 'runs' ? [...names, ...times] : names
  }
}

const times: readonly Candidate[] = [
  { value: 'latest', about: 'the last run' },
  { value: 'yesterday', about: 'the last run of that day' },
]

const fixed = ['rules', 'topics', 'frameworks', 'packs'] as const
type PackagedWords = (typeof fixed)[number]

function isFixed(source: WordSource): source is PackagedWords {
  return fixed.some((name) => name === source)
}

/** Words that come with the package. */
async function fixedWords(source: PackagedWords): Promise<readonly Candidate[]> {
  if (source === 'packs') return wordsOf((await import('../../rules/engine/rule.ts')).packs)
  if (source === 'frameworks') {
    return wordsOf((await import('../../compliance/built-in-frameworks.ts')).builtInFrameworkIds)
  }
  const { pagePaths } = await import('../../app/read-docs.ts')
  const paths = pagePaths()
  // Each rule has a page, and listing them is faster than loading the rules.
  if (source === 'rules')
    return wordsOf(paths.flatMap((path) => (path.startsWith('rules/') ? path.slice('rules/'.length) : [])))
  const { topicsOf } = await import('../../questions/answer-docs.ts')
  return wordsOf([...topicsOf(paths).keys()])
}

function wordsOf(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, about: '' }))
}

async function configuredProjects(given: Given, terminal: ProcessContext): Promise<readonly Candidate[]> {
  const config = given.get('--config') ?? 'hookdrift.yaml'
  if (given.has('--history') || !hasConfiguration(config, terminal)) return []
  return wordsOf((await configuredPaths(config, terminal)).projects)
}

async function historyNames(
  source: Exclude<WordSource, PackagedWords>,
  prefix: string,
  given: Given,
  terminal: ProcessContext,
): Promise<readonly Candidate[]> {
  const config = given.get('--config') ?? 'hookdrift.yaml'
  const history = given.get('--history')
  const named = namedHistory(history === undefined ? { config } : { config, history }, terminal)
  const location =
    named === undefined ? (await configuredPaths(config, terminal)).history : readLocation(named, terminal.cwd())
  // The service chose its uids: one that looks like an option must not become one.
  return (await namesIn(location, source, prefix)).filter(({ value }) => !value.startsWith('-'))
}

/** A person who presses a key for words wants no messages. */
async function quietly(read: () => Promise<readonly Candidate[]>): Promise<readonly Candidate[]> {
  return read().catch(() => [])
}
