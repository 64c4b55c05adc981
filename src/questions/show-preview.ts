import { count } from '../model/text/count.ts'
import { quote } from '../model/text/neutralise.ts'
import type { AnswerView } from '../report/answer.ts'
import { type Block, type Item, list, section, severityChip, text } from '../report/document/blocks.ts'
import { fieldLines } from '../report/document/lines.ts'
import { shorten, shortenSeals } from '../report/text/shorten.ts'
import { showDuration, showTime } from '../report/text/show-time.ts'
import type { Preview, PreviewRow } from './preview-form.ts'

const done = {
  create: 'Creates',
  update: 'Updates',
  delete: 'Deletes',
  pause: 'Pauses',
  activate: 'Activates',
  expire_secret: 'Replaces a secret of',
  toggle_status: 'Asks to toggle',
} as const

/** Sentences before the rows: what the request is about, and the outcome. */
export function introducePreview(preview: Preview, rows: readonly PreviewRow[]): string[] {
  const { resource, request, refused, violations } = preview
  const { project, kind, uid, name } = resource
  const which = `${kind} ${name === '' ? '' : `${quote(name)} `}${uid ?? '(new)'}`
  const by = (cause: PreviewRow['by']) => rows.filter((row) => row.by === cause).length
  const [sent, omitted, made] = [by('request'), by('omission'), by('service')]
  const parts =
    request.action === 'delete'
      ? ['it would be gone']
      : [
          ...(sent === 0 ? [] : [`${count(sent, 'field')} changed by the request`]),
          ...(omitted === 0 ? [] : [`${omitted} reset because it leaves ${omitted === 1 ? 'it' : 'them'} out`]),
          ...(made === 0 ? [] : [`${made} set by the service`]),
        ]
  const { opened, ended } = violations
  const outcome =
    refused === null
      ? `${parts.length === 0 ? 'changes nothing that is known' : parts.join(', ')}; ${count(opened.length, 'violation')} would open, ${ended.length} would end`
      : `the service answers ${refused.status} and changes nothing: ${refused.reason}`
  const isWoken = request.action === 'pause' && rows.some(({ after }) => after === 'active')
  return [`${isWoken ? 'Wakes' : done[request.action]} ${project} ${which}: ${outcome}.`]
}

/** Sentences after the rows. */
export function concludePreview({ known, refused }: Preview, notes: readonly string[]): string[] {
  const age = showDuration(new Date(0).toISOString(), new Date(known.age_s * 1000).toISOString())
  const doubts = known.reasons.map(
    (reason) => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}: audit again before relying on this.`,
  )
  return [
    ...(refused === null ? notes : []),
    `As of run ${known.run}, ${showTime(known.at)}, ${age} ago.`,
    ...doubts,
    'hookdrift has sent nothing.',
  ]
}

const titles = {
  omission: 'Reset, because the request leaves it out',
  request: 'Changed by the request',
  service: 'Set by the service',
} as const

export const previewView: AnswerView<PreviewRow> = {
  columns: ['path', 'before', 'after', 'by'],
  blocks: ({ rows, more }) => previewBlocks(rows, more as unknown as Preview),
  nothing: 'No field that is known would change.',
}

function previewBlocks(rows: readonly PreviewRow[], preview: Preview): readonly Block[] {
  const { violations, dependents, unknown } = preview
  const isWhole = rows.some(({ path }) => path === '')
  const changed = isWhole
    ? []
    : (['omission', 'request', 'service'] as const).flatMap((by) => {
        const fields = rows.filter((row) => row.by === by)
        return section(2, titles[by], list('field', fields.map(fieldItem)))
      })
  const findings = (of: Preview['violations']['opened']) =>
    list(
      'violation',
      of.map((one) => findingItem(one, preview)),
    )
  return [
    ...(rows.length === 0 ? [text('No field that is known would change.')] : changed),
    ...section(2, 'Violations that would open', findings(violations.opened)),
    ...section(2, 'Violations that would end', findings(violations.ended)),
    ...section(
      2,
      'Depends on it',
      list(
        'resource',
        dependents.map((one) => dependentItem(one, preview)),
        mostDependents,
      ),
    ),
    ...section(2, 'Unknown', list('field', unknown.map(unknownItem))),
  ]
}

function fieldItem(row: PreviewRow): Item {
  const [line = ''] = fieldLines([row])
  return { text: line }
}

function findingItem(
  { rule, severity, kind, uid, name, path, message }: Preview['violations']['opened'][number],
  { resource: { project } }: Preview,
): Item {
  const [said] = shortenSeals(message)
  const resource = uid === null ? 'the new resource' : { resource: { project, kind, uid, name } }
  return {
    text: [severityChip(severity), ' ', { code: rule }, `: ${shorten(said, 600)}`],
    below: [[resource, ...(path === '' ? [] : [' at ', { code: shorten(path, 120) }])]],
  }
}

const mostDependents = 20
const effects = { uses: 'refers to it', deleted: 'would be deleted', activated: 'would be activated' } as const

function dependentItem(
  { kind, uid, name, effect }: Preview['dependents'][number],
  { resource: { project } }: Preview,
): Item {
  return { text: [{ resource: { project, kind, uid, name } }, ` ${effects[effect]}`] }
}

function unknownItem({ path, reason }: Preview['unknown'][number]): Item {
  return { text: path === '' ? reason : [{ code: shorten(path, 120) }, `: ${reason}`], isUnknown: true }
}
