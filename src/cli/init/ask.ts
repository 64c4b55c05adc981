import type { Readable, Writable } from 'node:stream'
import { confirm, isCancel, multiselect, password, select, text } from '@clack/prompts'
import { Stop } from '../../model/stop.ts'
import { neutralise } from '../../model/text/neutralise.ts'

/** Says what is wrong with an answer; undefined when nothing is. */
export type AnswerCheck = (answer: string) => string | undefined

export interface Choice<Value extends string> {
  readonly value: Value
  /** Neutralised here: it may be a name of the service. */
  readonly label: string
  readonly hint?: string
}

/** Asks a person. Every question throws a `Stop` when the person, the terminal or a signal ends it. */
export interface Asker {
  line(message: string, options: { readonly suggested?: string; readonly check: AnswerCheck }): Promise<string>
  /** What is typed is shown as dots, and kept nowhere. */
  secret(message: string, check: AnswerCheck): Promise<string>
  choose<Value extends string>(message: string, choices: readonly Choice<Value>[]): Promise<Value>
  /** At least one. */
  chooseSome(message: string, choices: readonly Choice<string>[]): Promise<readonly string[]>
  /** The suggested answer is no. */
  confirm(message: string): Promise<boolean>
}

/** Asks on a terminal. */
export function openAsker(input: Readable, output: Writable, stopped: AbortSignal): Asker {
  const ended = new AbortController()
  const end = () => ended.abort()
  // The library waits for ever where the input ends, also by Ctrl-D.
  input.once('end', end)
  const onKey = (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined) => {
    if (key?.ctrl === true && key.name === 'd') end()
  }
  const shared = { input, output, signal: AbortSignal.any([stopped, ended.signal]) }
  const answered = async <Value>(question: Promise<Value>): Promise<Exclude<Value, symbol>> => {
    input.on('keypress', onKey)
    const answer = await question.finally(() => input.off('keypress', onKey))
    if (!isCancel(answer)) return answer as Exclude<Value, symbol>
    throw stopped.aborted ? stopped.reason : new Stop('sigint', 'the person')
  }
  return {
    line: async (message, { suggested, check }) => {
      const initial = suggested === undefined ? {} : { initialValue: suggested }
      const given = await answered(
        text({ ...shared, ...initial, message, validate: (value = '') => check(value.trim()) }),
      )
      return given.trim()
    },
    secret: async (message, check) => {
      const validate = (value = '') => check(value.trim())
      return (await answered(password({ ...shared, message, validate, mask: '•' }))).trim()
    },
    choose: (message, choices) => {
      const options = choices.map((choice) => toOption(choice))
      return answered(select<string>({ ...shared, message, options })) as Promise<(typeof choices)[number]['value']>
    },
    chooseSome: (message, choices) =>
      answered(
        multiselect<string>({ ...shared, message, options: choices.map(toOption), required: true, maxItems: 12 }),
      ),
    confirm: (message) => answered(confirm({ ...shared, message, initialValue: false })),
  }
}

function toOption({ value, label, hint }: Choice<string>) {
  return { value, label: neutralise(label), ...(hint === undefined ? {} : { hint: neutralise(hint) }) }
}
