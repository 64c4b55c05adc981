import { describeFollowing } from '../report/describe-cause.ts'
import { sentenceOfEnding } from '../report/describe-ending.ts'
import { count } from '../text/count.ts'
import { cut, neutralise } from '../text/neutralise.ts'
import { commandAbout } from './explain-events.ts'
import { endingOf } from './find-events.ts'
import { capitalised, resourceName, wordFor } from './headline.ts'
import type { Event, Message, MessageCause, MessageFailure, Storm } from './message.ts'

/** A part of a line. Each channel shows what is foreign as inert text. */
export type Piece =
  /** Our words. */
  | { readonly words: string }
  /** A name that a service or a person chose. */
  | { readonly name: string }
  /** A sentence that may quote a service. */
  | { readonly foreign: string }
  /** A sentence of a rule page or a policy; in backticks, code. */
  | { readonly prose: string }
  | { readonly command: string }

/** One line for people. */
export type Line =
  | { readonly level: 'title' | 'text' | 'event' | 'detail'; readonly pieces: readonly Piece[] }
  | { readonly level: 'links'; readonly links: readonly Link[] }

export interface Link {
  /** Ours. */
  readonly label: string
  readonly url: string
}

/** What happened in a sentence, then where to see it, how to fix it and what to run; the run as a whole comes last. */
export function showMessage(message: Message): readonly Line[] {
  const { title, when, in_between, verdict, storm, rules, causes = [], failures = [], events, more, command } = message
  const { run, report_url, already_open, incident } = message
  const fixed = new Set<string>()
  const { left } = incident ?? {}
  return [
    { level: 'title', pieces: [{ foreign: title }] },
    ...(left === undefined ? [] : [text(`${left[0]} of ${left[1]} are left.`)]),
    ...(when === undefined
      ? []
      : [
          line('text', { words: when }, ...(in_between === undefined ? [] : [{ words: ' ' }, { foreign: in_between }])),
        ]),
    ...someOf(failures, mostFailures, 'failure', showFailure),
    ...someOf(causes, mostCauses, 'cause', showCause),
    ...(storm === null ? [] : [text(storms[storm])]),
    ...rules.map(({ rule, severity, events: count }) => text(`${count} × ${rule} (${severity})`)),
    ...events.flatMap((event) => showEvent(event, fixed)),
    ...(verdict === null ? [] : [text(verdict.text)]),
    ...showOpen(already_open),
    ...(more > 0 || run !== null
      ? [line('text', { words: more > 0 ? `and ${more} more: ` : 'Full report: ' }, { command })]
      : []),
    ...linksOf(['Open the report', report_url]),
  ]
}

/** The first of a list, and how many more there are. */
function someOf<Item>(
  items: readonly Item[],
  most: number,
  noun: string,
  show: (item: Item) => readonly Line[],
): readonly Line[] {
  const omitted = items.length - most
  return [
    ...items.slice(0, most).flatMap(show),
    ...(omitted > 0 ? [text(`and ${count(omitted, `more ${noun}`)}`)] : []),
  ]
}

const mostFailures = 3
const mostCauses = 10

/** What the service answered, to what, what was not read for it, and what to do. */
function showFailure({ text, facts }: MessageFailure): Line[] {
  return [
    line('event', { words: 'Incomplete: ' }, { foreign: text }),
    ...facts.map(({ label, text }) => {
      const said: Piece = label === 'next' ? { prose: text } : { foreign: text }
      return line('detail', { words: `${label === 'url' ? 'URL' : capitalised(label)}: ` }, said)
    }),
  ]
}

/** What happened to what, what follows from it, in which resources, and what puts all of it back. */
function showCause({ severity, text: what, rules, resources, named, command }: MessageCause): Line[] {
  const omitted = resources - named.length
  return [
    line('event', { words: `Cause, ${severity}: ` }, { foreign: what }),
    line('detail', { foreign: describeFollowing({ rules }) }),
    ...named.flatMap(({ name, owner, texts, ui_url, report_url }) => [
      line('detail', { name }, ...showOwner(owner), { words: ': ' }, { foreign: texts.join('; ') }),
      ...linksOf(['Open in the gateway', ui_url], ['Show in the report', report_url]),
    ]),
    ...(omitted > 0 ? [line('detail', { words: `and ${count(omitted, 'more resource')}` })] : []),
    line('detail', { words: 'To put it back: ' }, { command }),
  ]
}

function showOwner(owner: string | undefined): readonly Piece[] {
  return owner === undefined ? [] : [{ words: ', owner ' }, { name: owner }]
}

/** What happened to which resource, in one sentence. */
export function sayEvent(event: Event): readonly Piece[] {
  const { severity, project, rule, kind, owner, text, title } = event
  const where = project === null ? [] : [{ words: ` in ${project}` }]
  if (rule === undefined) return [{ words: wordFor(event) }, ...where, { words: ': ' }, { foreign: text }]
  const named = resourceName(event)
  const resource = kind === undefined || named === '' ? [] : [{ words: ` – ${kind} ` }, { name: named }]
  const what = { prose: title ?? rule }
  return [{ words: `${wordFor(event)}, ${severity}: ` }, what, ...resource, ...where, ...showOwner(owner)]
}

/** A line as plain text without control characters, a link a line; what is foreign is cut. */
export function plainLine(line: Line): string {
  if (line.level === 'links') return line.links.map(({ label, url }) => `${label}: ${url}`).join('\n')
  const sentence = (text: string) => neutralise(cut(text, 500))
  return line.pieces
    .map((piece) =>
      showPiece(piece, {
        words: (text) => neutralise(cut(text, 600)),
        command: (text) => `\`${text}\``,
        name: (text) => `"${neutralise(cut(text, 300))}"`,
        foreign: sentence,
        prose: sentence,
      }),
    )
    .join('')
}

/** How a format shows each kind of piece, so that it stays text. */
export type PieceMarkup<Shown = string> = Readonly<
  Record<'words' | 'name' | 'foreign' | 'prose' | 'command', (text: string) => Shown>
>

export function showPiece<Shown>(piece: Piece, markup: PieceMarkup<Shown>): Shown {
  if ('words' in piece) return markup.words(piece.words)
  if ('name' in piece) return markup.name(piece.name)
  if ('command' in piece) return markup.command(piece.command)
  return 'foreign' in piece ? markup.foreign(piece.foreign) : markup.prose(piece.prose)
}

type Markup = PieceMarkup & {
  /** Nothing in the address ends a link. */
  link(link: Link): string
}

/** Lines as paragraphs of a format. */
export function renderLines(lines: readonly Line[], markup: Markup): string {
  const encoded = (url: string) =>
    url.replace(/[\s()<>[\]{}|\\^!*]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return lines
    .map((line) =>
      line.level === 'links'
        ? line.links.map(({ label, url }) => markup.link({ label, url: encoded(url) })).join(' · ')
        : line.pieces.map((piece) => showPiece(piece, markup)).join(''),
    )
    .join('\n\n')
}

/** Renders as many events as fit, at least none; the others are counted. Without any, causes and failures have no details. */
export function fitMessage<Rendered>(
  message: Message,
  render: (message: Message) => Rendered,
  fits: (rendered: Rendered) => boolean,
): Rendered {
  const { events, more, causes, failures } = message
  const renderFirst = (listed: number) =>
    render({ ...message, events: events.slice(0, listed), more: more + events.length - listed })
  const all = renderFirst(events.length)
  if (fits(all)) return all
  let [fitting, over] = [-1, events.length]
  while (over - fitting > 1) {
    const middle = (fitting + over) >> 1
    if (fits(renderFirst(middle))) fitting = middle
    else over = middle
  }
  if (fitting >= 0) return renderFirst(fitting)
  return render({
    ...message,
    events: [],
    more: more + events.length,
    causes: causes?.map((cause) => ({ ...cause, named: [] })),
    failures: failures?.map((failure) => ({ ...failure, facts: [] })),
  })
}

const storms: Readonly<Record<Storm, string>> = {
  first_run: 'This is the first run: every open violation is new. The worst of them:',
  policy_changed: 'The policy or the version of hookdrift changed since the last run. The worst of the changes:',
  mass: 'Many things changed at once. The worst of them:',
}

function text(words: string): Line {
  return line('text', { words })
}

function line(level: 'text' | 'event' | 'detail', ...pieces: readonly Piece[]): Line {
  return { level, pieces }
}

/** The remediation of a rule is said once; of the next events, the command that names their own resource. */
function showEvent(event: Event, fixed: Set<string>): Line[] {
  const { rule, text: what, remediation = '', command = '', uid = '', ui_url, report_url } = event
  const isNew = rule !== undefined && !fixed.has(rule)
  // The message of a violation that is over is in the present tense.
  const wasFound = event.type === 'violation.resolved' ? [{ words: 'Was: ' }] : []
  if (rule !== undefined && remediation !== '') fixed.add(rule)
  const own = commandAbout(uid, `${remediation} \`${command}\``)
  const next = isNew ? showFix(remediation, command) : own === undefined ? [] : [{ words: 'Fix: ' }, { command: own }]
  return [
    { level: 'event', pieces: sayEvent(event) },
    ...(rule === undefined ? [] : [line('detail', ...wasFound, { foreign: what })]),
    ...(event.ended_by === undefined ? [] : [line('detail', { foreign: sentenceOfEnding(endingOf(event)) })]),
    ...linksOf(['Open in the gateway', ui_url], ['Show in the report', report_url]),
    ...(next.length === 0 ? [] : [line('detail', ...next)]),
  ]
}

function showFix(remediation: string, command: string): Piece[] {
  const fix = remediation === '' ? [] : [{ words: 'Fix: ' }, { prose: remediation }]
  if (command === '' || remediation.includes(`\`${command}\``)) return fix
  const label = command.startsWith('hookdrift restore ') ? 'To put it back: ' : 'Run '
  return [...fix, { words: fix.length === 0 ? label : ` ${label}` }, { command }]
}

function linksOf(...links: readonly (readonly [string, string | undefined])[]): Line[] {
  const given = links.flatMap(([label, url]) => (url === undefined ? [] : [{ label, url }]))
  return given.length === 0 ? [] : [{ level: 'links', links: given }]
}

function showOpen(open: Message['already_open'] = {}): Line[] {
  const parts = Object.entries(open).map(([severity, number]) => `${number} ${severity}`)
  if (parts.length === 0) return []
  const words = `This is the first message of this channel, or others were given up. Open before it: ${parts.join(', ')}. List them: `
  return [line('text', { words }, { command: 'hookdrift violations --open --unknown' })]
}
