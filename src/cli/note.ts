import type { Command } from 'commander'
import { openMasking } from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { AuditError } from '../model/errors.ts'
import { chooseNoted, composeNote, readNotedProjects } from '../questions/compose-note.ts'
import { answerNotes, notes, notesView } from '../questions/notes.ts'
import { optionOf } from './ask.ts'
import { addSignature, signature } from './baseline-options.ts'
import { answerFromHistory } from './print-answer.ts'
import { addProjectOption, addReadingOptions, limitOf, type ReadingOptions } from './query-options.ts'

interface NoteOptions extends ReadingOptions {
  readonly at?: string
  readonly ref?: string
  readonly project: readonly string[]
  readonly by?: string
  readonly list?: true
}

export function defineNote(command: Command) {
  command
    .argument('[text]', 'what was done, such as "deploy 4.2"')
    .option(
      '--at <time>',
      'when it was done: a time such as 2026-11-21T14:03:00Z, or how long ago, such as 20m (default: now)',
    )
    .option('--ref <ref>', 'link to what was done, or its commit')
    .addOption(optionOf(notes.parameters.list))
  addReadingOptions(addSignature(addProjectOption(command)))
  return note
}

async function note(options: NoteOptions, terminal: ProcessContext, text: string | undefined): Promise<number> {
  const { at, ref, project, by, list = false } = options
  const isWriting = [text, at, ref, by].some((value) => value !== undefined)
  if (list ? isWriting : text === undefined) {
    throw AuditError.usage('expected what was done, or --list', { advice: 'for example: hookdrift note "deploy 4.2"' })
  }
  return answerFromHistory(options, terminal, notesView, async (history) => {
    if (text === undefined) {
      const inquiry = { terminal, options, format: options.format, limit: limitOf(options) }
      return (await notes.read(history, { list: true, project }, inquiry)).answer
    }
    const projects = project.length === 0 ? [] : chooseNoted(await readNotedProjects(history), project)
    const masking = await openMasking(options, terminal)
    const composed = composeNote({ text, at, ref, projects }, signature(by, masking), masking)
    return answerNotes([await history.note(composed)], limitOf(options))
  })
}
