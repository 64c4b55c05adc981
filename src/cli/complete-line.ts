import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { exitCodes } from '../model/errors.ts'
import { neutralise } from '../text/neutralise.ts'
import { type BashLine, bashCandidates, readBashLine } from './completion/bash-words.ts'
import { type Completion, complete } from './completion/complete.ts'
import { wordFinder } from './completion/find-words.ts'

/** What the scripts of `completion` ask. */
export function defineCompleteLine(
  command: Command,
  execute: Execute,
  lineFor: (words: readonly string[]) => Promise<Command>,
): void {
  command.allowExcessArguments().action((_, { args: [shell = '', ...given] }: Command) =>
    execute(async (terminal) => {
      try {
        const line = lineOf(shell, given)
        await answer(await lineFor(line.words), line, terminal)
      } catch {
        // Completion never prints an error, for any line and any history.
      }
      return exitCodes.clean
    }),
  )
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
  const found = safe(await complete(program, words, current, wordFinder(terminal)))
  const how = [found.files, ...(found.isWhole ? [] : ['part'])].join(' ')
  const lines =
    bash === undefined
      ? found.candidates.map(({ value, about }) => (about === '' ? value : `${value}\t${about}`))
      : bashCandidates(found, bash)
  terminal.stdout.write(`${[how, ...lines].join('\n')}\n`)
}

/** Without words that control a terminal: a service may have chosen them. */
function safe({ candidates, ...how }: Completion): Completion {
  const harmless = candidates.filter(({ value }) => {
    return value !== '' && value.length <= 300 && neutralise(value) === value
  })
  return { ...how, candidates: harmless.map(({ value, about }) => ({ value, about: neutralise(about).slice(0, 80) })) }
}
