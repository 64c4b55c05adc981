import { Argument, type Command } from 'commander'
import { configuredPaths, hasConfiguration, namedHistory } from '../app/locate-history.ts'
import { namesIn } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { expectedIn } from '../config/choose-projects.ts'
import { readLocation } from '../history/location.ts'
import { exitCodes } from '../model/errors.ts'
import { neutralise } from '../model/text/neutralise.ts'
import { type Candidate, type Completion, complete, type FindWords, type WordSource } from './complete-words.ts'
import { usualConfiguration } from './query-options.ts'

/** What the scripts of `completion` ask. */
export function defineCompleteLine(command: Command, lineFor: (words: readonly string[]) => Promise<Command>) {
  command.allowExcessArguments()
  return async (_: unknown, terminal: ProcessContext) => {
    const [shell = '', ...given] = command.args
    try {
      const line = lineOf(shell, given)
      await answer(await lineFor(line.words), line, terminal)
    } catch {
      // Completion never prints an error, for any line and any history.
    }
    return exitCodes.clean
  }
}

/** `breaks`: the value of COMP_WORDBREAKS. */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = []
  let word: string | undefined
  let quote: Quote = ''
  let keptLength = 0
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? ''
    if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      keptLength = 0
    } else if (character === quote) {
      quote = ''
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character
      word ??= ''
      // What is quoted is one word for bash, from the quote on.
      keptLength = word.length
    } else if (character === '\\' && quote !== "'" && at + 1 < line.length) {
      at += 1
      word = (word ?? '') + line[at]
    } else {
      word = (word ?? '') + character
      if (quote === '' && (character === '=' || character === ':') && breaks.includes(character))
        keptLength = word.length
    }
  }
  return { words: words.slice(1), current: word ?? '', quote, keptLength }
}

/** The candidates as bash inserts them: quoted, and without what it keeps. */
export function bashCandidates({ candidates }: Completion, { quote, keptLength }: BashLine): readonly string[] {
  return candidates.flatMap(({ value }) => quoted(value.slice(keptLength), quote) ?? [])
}

interface Line {
  readonly words: readonly string[]
  /** What is at the cursor. */
  readonly current: string
  /** As bash reads it. */
  readonly bash?: BashLine
}

/** The last word is the one at the cursor; fish leaves an open quote on it. */
function lineOf(shell: string, given: readonly string[]): Line {
  if (shell !== 'bash') return { words: given.slice(0, -1), current: (given.at(-1) ?? '').replace(/^["']/, '') }
  const [text = '', breaks = ''] = given
  const bash = readBashLine(text, breaks)
  return { words: bash.words, current: bash.current, bash }
}

/** First a line about all, then a line for each word; for zsh and fish with what it is behind a tab. */
async function answer(program: Command, { words, current, bash }: Line, terminal: ProcessContext): Promise<void> {
  const completion = safe(await complete(program, words, current, wordFinder(terminal)))
  const how = [completion.files, ...(completion.isWhole ? [] : ['part'])].join(' ')
  const lines =
    bash === undefined
      ? completion.candidates.map(({ value, about }) => (about === '' ? value : `${value}\t${about}`))
      : bashCandidates(completion, bash)
  terminal.stdout.write(`${[how, ...lines].join('\n')}\n`)
}

/** Without words that control a terminal: a service may have chosen them. */
function safe({ candidates, ...how }: Completion): Completion {
  const harmless = candidates.filter(({ value }) => {
    return value !== '' && value.length <= 300 && neutralise(value) === value
  })
  return { ...how, candidates: harmless.map(({ value, about }) => ({ value, about: neutralise(about).slice(0, 80) })) }
}

type Quote = '"' | "'" | ''

/** A command line up to the cursor, as bash reads it without expanding anything. */
interface BashLine {
  /** Whole words after the program's name. */
  readonly words: readonly string[]
  /** The word at the cursor, without quotes. */
  readonly current: string
  /** The quote that is open at the cursor. */
  readonly quote: Quote
  /** How many characters of `current` bash keeps, because they end at one of its word breaks. */
  readonly keptLength: number
}

/** Undefined where the text cannot be written inside the open quote. */
function quoted(text: string, quote: Quote): string | undefined {
  if (quote === "'") return text.includes("'") ? undefined : text
  // In double quotes, a backslash before `!` stays.
  if (quote === '"') return text.includes('!') ? undefined : text.replace(/["\\$`]/g, '\\$&')
  return text.replace(/[^\w./:@%+=,\-\u0080-\u{10ffff}]/gu, '\\$&')
}

type Given = ReadonlyMap<string, string>

/** Finds words where they are: in the package, in the configuration, in the history. */
function wordFinder(terminal: ProcessContext): FindWords {
  return async (source, prefix, given) => {
    if (isFixed(source)) return fixedWords(source)
    if (source === 'projects') {
      const [configured, recorded] = await Promise.all([
        quietly(() => configuredProjects(given, terminal)),
        quietly(() => historyNames('projects', prefix, given, terminal)),
      ])
      const names = new Set([...configured, ...recorded].map(({ value }) => value))
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
  if (source === 'packs') return wordsOf((await import('../rules/engine/rule.ts')).packs)
  if (source === 'frameworks') {
    return wordsOf((await import('../report/compliance/built-in-frameworks.ts')).builtInFrameworkIds)
  }
  const { pagePaths } = await import('./docs.ts')
  const paths = pagePaths()
  // Each rule has a page, and listing them is faster than loading the rules.
  if (source === 'rules')
    return wordsOf(paths.flatMap((path) => (path.startsWith('rules/') ? path.slice('rules/'.length) : [])))
  const { topicsOf } = await import('../questions/answer-docs.ts')
  return wordsOf([...topicsOf(paths).keys()])
}

function wordsOf(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, about: '' }))
}

/** The file of the line, of the variable, or the usual one. */
function configurationOf(given: Given, { env }: ProcessContext): string {
  return given.get('--config') ?? (env.HOOKDRIFT_CONFIG || usualConfiguration)
}

async function configuredProjects(given: Given, terminal: ProcessContext): Promise<readonly Candidate[]> {
  const config = configurationOf(given, terminal)
  if (given.has('--history') || !hasConfiguration(config, terminal)) return []
  return wordsOf(expectedIn((await configuredPaths(config, terminal)).services).named)
}

async function historyNames(
  source: Exclude<WordSource, PackagedWords>,
  prefix: string,
  given: Given,
  terminal: ProcessContext,
): Promise<readonly Candidate[]> {
  const config = configurationOf(given, terminal)
  const history = given.get('--history')
  const named = namedHistory(history === undefined ? { config } : { config, history }, terminal)
  const location =
    named === undefined ? (await configuredPaths(config, terminal)).history : readLocation(named, terminal.cwd())
  // The service chose its uids: one that looks like an option must not become one.
  const isList = (value: string) => source === 'projects' && value.endsWith('/*')
  return (await namesIn(location, source, prefix)).filter(({ value }) => !value.startsWith('-') && !isList(value))
}

/** A person who presses a key for words wants no messages. */
async function quietly(read: () => Promise<readonly Candidate[]>): Promise<readonly Candidate[]> {
  return read().catch(() => [])
}

export function defineCompletion(command: Command) {
  command.addArgument(new Argument('<shell>', 'the shell that completes').choices(Object.keys(scripts)))
  return async (_: unknown, { stdout }: ProcessContext, shell: keyof typeof scripts) => {
    stdout.write(scripts[shell])
    return exitCodes.clean
  }
}

/** What each shell reads once. They ask the program, and evaluate nothing of what it answers. */
const scripts = {
  bash: `# Completion of hookdrift for bash: source it, or put it where bash-completion finds it.
_hookdrift() {
  local line how= state=first
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$state" = first ]; then how=$line state=more; else COMPREPLY+=("$line"); fi
  done < <("$1" __complete bash -- "\${COMP_LINE:0:$COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  case $how in
    *part*) compopt -o nospace 2>/dev/null ;;
    *files*) compopt -o default 2>/dev/null ;;
    *directories*) compopt -o dirnames 2>/dev/null ;;
  esac
}
complete -F _hookdrift hookdrift
`,
  zsh: `#compdef hookdrift
# Completion of hookdrift for zsh: put it into a directory of $fpath as _hookdrift, or source it after compinit.
_hookdrift() {
  local line how
  local -a values shown more
  while IFS= read -r line; do
    if [[ -z $how ]]; then how=$line; continue; fi
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done < <(command hookdrift __complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  case $how in
    *files*) compset -P '*='; _files; return ;;
    *directories*) _files -/; return ;;
    *part*) more=(-S '') ;;
  esac
  (( $#values )) || return 1
  compadd -l "$more[@]" -d shown -a -- values
}
if [[ $funcstack[1] == _hookdrift ]]; then _hookdrift "$@"; else compdef _hookdrift hookdrift; fi
`,
  fish: `# Completion of hookdrift for fish: put it into ~/.config/fish/completions as hookdrift.fish, or source it.
function __hookdrift_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l lines (command hookdrift __complete fish -- $words (commandline -ct) 2>/dev/null)
    switch "$lines[1]"
        case '*files*' '*directories*'
            __fish_complete_path (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    end
    set -e lines[1]
    printf '%s\\n' $lines
end
complete -c hookdrift -f -a '(__hookdrift_complete)'
`,
} as const
