import type { z } from 'zod'
import { matchesProject } from '../config/choose-projects.ts'
import type { RecordedNote } from '../history/notes.ts'
import { listNotes } from '../history/sql/notes.ts'
import { schemas } from '../model/report.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutRun, limited } from '../report/answer.ts'
import { showTime } from '../report/text/show-time.ts'
import { selectProjects } from './as-of.ts'
import { readNotedProjects } from './compose-note.ts'
import { given, parameter, projectParameter, question } from './question.ts'

const noteRow = schemas.note.extend({
  noted_at: schemas.time.describe('When it was recorded.'),
  os_user: schemas.acceptance.shape.by
    .nullable()
    .describe('Which user of the operating system wrote it; null where it was not recorded.'),
})

type NoteRow = z.infer<typeof noteRow>

export const noteForm: AnswerForm = { name: 'note', version: 2, about: aboutRun('Always null.'), row: noteRow }

export const notes = question({
  form: noteForm,
  parameters: { list: parameter('--list', 'list the notes', given), project: projectParameter },
  isOfRun: false,
  async read(history, { project: patterns }, { limit }) {
    const all = await listNotes(history)
    // A misspelt name must not read as if nothing had been done there.
    const known = [...(await readNotedProjects(history)), ...all.flatMap(({ projects }) => projects)].sort()
    selectProjects(
      [...new Set(known)].map((name) => ({ project: { name, service: '', uid: '' } })),
      patterns,
    )
    const isAbout = ({ projects }: RecordedNote) =>
      patterns.length === 0 || projects.length === 0 || projects.some((name) => matchesProject(name, patterns))
    return { answer: answerNotes(all.filter(isAbout), limit), view: notesView }
  },
})

/** Notes by the time that they are about, the latest first. */
export function answerNotes(notes: readonly RecordedNote[], limit: number): Answer<NoteRow> {
  const rows = notes.map(toNoteRow).sort((a, b) => (a.at === b.at ? b.id - a.id : a.at < b.at ? 1 : -1))
  return { form: noteForm, run: null, ...limited(rows, limit) }
}

export function toNoteRow({ notedAt, osUser, id, at, text, ref, by, projects }: RecordedNote): NoteRow {
  return { id, at, text, ref, by, projects: [...projects], noted_at: notedAt, os_user: osUser ?? null }
}

export const notesView: AnswerView<NoteRow> = {
  columns: [
    { name: 'id', align: 'right' },
    { name: 'at', show: ({ at }) => showTime(at) },
    { name: 'text', only: 'csv' },
    { name: 'ref', breaks: true },
    { name: 'by', breaks: true },
    { name: 'os_user', only: 'csv' },
    { name: 'noted_at', only: 'csv' },
    {
      name: 'projects',
      value: ({ projects }) => projects.join(' '),
      show: ({ projects }) => projects.join(' ') || 'all',
      breaks: true,
    },
  ],
  below: ({ text }) => text,
  nothing: 'Nothing was noted.',
  isOfRun: false,
}
