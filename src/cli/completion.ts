import { Argument, type Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { exitCodes } from '../model/errors.ts'
import { neutralise } from '../text/neutralise.ts'
import type { Completion } from './completion/complete.ts'
import type { Shell } from './completion/scripts.ts'

/** Spelt here, so that `--help` loads no script. */
const shells = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[]

export function defineCompletion(program: Command, execute: Execute): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell that completes').choices(shells))
    .description('Print a script that completes commands, options, rules, projects, runs and uids')
    .action((shell: Shell) => execute((terminal) => printScript(shell, terminal)))
  program
    .command('__complete', { hidden: true })
    .allowExcessArguments()
    .action((_, { args: [shell = '', ...words] }: Command) =>
      execute(async (terminal) => {
        // Completion never prints an error, for any line and any history.
        await answer(program, shell, words, terminal).catch(() => {})
        return exitCodes.clean
      }),
    )
}

async function printScript(shell: Shell, { stdout }: ProcessContext): Promise<number> {
  const { scripts } = await import('./completion/scripts.ts')
  stdout.write(scripts[shell])
  return exitCodes.clean
}

/** First a line about all, then a line for each word; for zsh and fish with what it is behind a tab. */
async function answer(
  program: Command,
  shell: string,
  given: readonly string[],
  terminal: ProcessContext,
): Promise<void> {
  const { complete } = await import('./completion/complete.ts')
  const { wordFinder } = await import('./completion/find-words.ts')
  const { bashCandidates, readBashLine } = await import('./completion/bash-words.ts')
  const [text = '', breaks = ''] = given
  const line = shell === 'bash' ? readBashLine(text, breaks) : undefined
  const [words, current] = line === undefined ? wordsOf(given) : [line.words, line.current]
  const found = safe(await complete(program, words, current, wordFinder(terminal)))
  const how = [found.files, ...(found.isWhole ? [] : ['part'])].join(' ')
  const lines =
    line === undefined
      ? found.candidates.map(({ value, about }) => (about === '' ? value : `${value}\t${about}`))
      : bashCandidates(found, line)
  terminal.stdout.write(`${[how, ...lines].join('\n')}\n`)
}

/** The last word is the one at the cursor; fish leaves an open quote on it. */
function wordsOf(given: readonly string[]): readonly [words: readonly string[], current: string] {
  return [given.slice(0, -1), (given.at(-1) ?? '').replace(/^["']/, '')]
}

/** Without words that control a terminal: a service may have chosen them. */
function safe({ candidates, ...how }: Completion): Completion {
  const harmless = candidates.filter(({ value }) => {
    return value !== '' && value.length <= 300 && neutralise(value) === value
  })
  return { ...how, candidates: harmless.map(({ value, about }) => ({ value, about: neutralise(about).slice(0, 80) })) }
}
