import { describeFollowing } from '../report/describe-cause.ts'
import { nameEnding, sentenceOfEnding } from '../report/describe-ending.ts'
import { count } from '../text/count.ts'
import { cut, neutralise } from '../text/neutralise.ts'
import { endingOf } from './find-events.ts'
import type { Event, EventType, Message, MessageCause, MessageFailure, Storm } from './message.ts'

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
  const { title, verdict, storm, rules, causes = [], failures = [], events, infos = 0, more, command, run } = message
  const { report_url, already_open, unknown_rules } = message
  const fixed = new Set<string>()
  const listed = failures.length === 0 ? events : events.filter(({ type }) => type !== 'coverage.lost')
  const hasMore = more > 0 && (listed.length > 0 || failures.length === 0)
  return [
    { level: 'title', pieces: [{ words: title }] },
    ...failures.slice(0, mostFailures).flatMap(showFailure),
    ...(failures.length > mostFailures ? [text(`and ${count(failures.length - mostFailures, 'more failure')}`)] : []),
    ...showUnknown(unknown_rules),
    ...causes.slice(0, mostCauses).flatMap(showCause),
    ...(causes.length > mostCauses ? [text(`and ${count(causes.length - mostCauses, 'more cause')}`)] : []),
    ...(storm === null ? [] : [text(storms[storm])]),
    ...rules.map(({ rule, severity, events: count }) => text(`${count} × ${rule} (${severity})`)),
    ...listed.flatMap((event) => showEvent(event, fixed)),
    ...(infos === 0 ? [] : [text(`and ${infos} of severity info`)]),
    ...(verdict === null ? [] : [text(verdict.text)]),
    ...showOpen(already_open),
    ...(hasMore || run !== null
      ? [
          {
            level: 'text',
            pieces: [{ words: hasMore ? `and ${more} more: ` : 'Full report: ' }, { command }],
          } as const,
        ]
      : []),
    ...linksOf(['Open the report', report_url]),
  ]
}

const mostFailures = 3
const mostCauses = 10

/** What the service answered, to what, what was not read for it, and what to do. */
function showFailure({ text, facts }: MessageFailure): Line[] {
  return [
    { level: 'event', pieces: [{ words: 'Incomplete: ' }, { foreign: text }] },
    ...facts.map(({ label, text }): Line => {
      const said: Piece = label === 'next' ? { prose: text } : { foreign: text }
      return { level: 'detail', pieces: [{ words: `${label === 'url' ? 'URL' : capitalised(label)}: ` }, said] }
    }),
  ]
}

function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

function showUnknown(rules: Message['unknown_rules'] = {}): Line[] {
  const numbers = Object.values(rules)
  if (numbers.length === 0) return []
  const sum = numbers.reduce((total, number) => total + number, 0)
  const rated = Object.entries(rules).map(([severity, number]) => `${number} ${severity}`)
  return [text(`Unknown until the next complete scan: what ${count(sum, 'rule')} found there (${rated.join(', ')})`)]
}

/** What is behind all that a message is about: one cause, or one failure. */
export function onlyReason({ causes = [], failures = [], events, more }: Message): string | undefined {
  const [cause] = causes
  const [failure] = failures
  if (causes.length + failures.length !== 1) return undefined
  const following = failure?.listings ?? cause?.rules.reduce((sum, { violations }) => sum + violations, 0)
  if (following !== events.length + more) return undefined
  return failure === undefined ? cause?.text : `Incomplete: ${failure.text}`
}

/** What happened to what, what follows from it, and what puts all of it back. */
function showCause({ severity, text, rules, command, ...times }: MessageCause): Line[] {
  return [
    { level: 'event', pieces: [{ words: `Cause, ${severity}: ` }, { foreign: text }] },
    { level: 'detail', pieces: [{ foreign: describeFollowing({ rules }) }] },
    ...showWhen(times),
    { level: 'detail', pieces: [{ words: 'To put it back: ' }, { command }] },
  ]
}

function showWhen({ when, in_between: notes }: Pick<MessageCause, 'when' | 'in_between'>): Line[] {
  if (when === undefined) return []
  return [
    {
      level: 'detail',
      pieces: [{ words: when }, ...(notes === undefined ? [] : [{ words: ' ' }, { foreign: notes }])],
    },
  ]
}

/** What happened to which resource, in one sentence. */
export function sayEvent(event: Event): readonly Piece[] {
  const { severity, project, rule, kind, owner, text: what, title = rule } = event
  const where = project === null ? [] : [{ words: ` in ${project}` }]
  if (rule === undefined) return [{ words: wordFor(event) }, ...where, { words: ': ' }, { foreign: what }]
  const named = resourceName(event)
  const resource = kind === undefined || named === '' ? [] : [{ words: ` – ${kind} ` }, { name: named }]
  const whose = owner === undefined ? [] : [{ words: ', owner ' }, { name: owner }]
  return [{ words: `${wordFor(event)}, ${severity}: ` }, { prose: title ?? rule }, ...resource, ...where, ...whose]
}

/** The name of the resource, or its uid; nothing where the event is about all of its project, as what is overdue. */
export function resourceName({ kind, name = '', uid = '' }: Event): string {
  if (name !== '') return name
  return kind === 'policy' ? '' : uid
}

/** Pieces of a line as plain text without control characters or line breaks; what is foreign is cut. */
export function plainText(pieces: readonly Piece[]): string {
  const sentence = (text: string) => neutralise(cut(text, 500))
  return pieces
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

/** Jira takes 32,767 characters, GitHub 65,536. */
const mostRendered = 30_000

/** Lines as paragraphs of a format, without those that have no room. None is cut: what it encloses would be open. */
export function renderLines(lines: readonly Line[], markup: Markup): string {
  const encoded = (url: string) =>
    url.replace(/[\s()<>[\]{}|\\^!*]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
  const paragraphs = lines.map((line) =>
    line.level === 'links'
      ? line.links.map(({ label, url }) => markup.link({ label, url: encoded(url) })).join(' · ')
      : line.pieces.map((piece) => showPiece(piece, markup)).join(''),
  )
  let length = 0
  return paragraphs
    .filter((paragraph) => {
      const isShown = length + paragraph.length + 2 <= mostRendered
      if (isShown) length += paragraph.length + 2
      return isShown
    })
    .join('\n\n')
}

/** Renders as many events as fit, at least none; the others are counted. Without any, failures have no details either. */
export function fitMessage<Rendered>(
  message: Message,
  render: (message: Message) => Rendered,
  fits: (rendered: Rendered) => boolean,
): Rendered {
  const { events, more } = message
  for (let listed = events.length; ; listed--) {
    const rendered = render({ ...message, events: events.slice(0, listed), more: more + events.length - listed })
    if (fits(rendered)) return rendered
    if (listed === 0) return render(withoutDetails({ ...message, events: [], more: more + events.length }))
  }
}

function withoutDetails(message: Message): Message {
  const { failures } = message
  return failures === undefined
    ? message
    : { ...message, failures: failures.map(({ text, listings }) => ({ text, listings, facts: [] })) }
}

const storms: Readonly<Record<Storm, string>> = {
  first_run: 'This is the first run: every open violation is new. The worst of them:',
  policy_changed: 'The policy or the version of hookdrift changed since the last run. The worst of the changes:',
  mass: 'Many things changed at once. The worst of them:',
}

function text(words: string): Line {
  return { level: 'text', pieces: [{ words }] }
}

/** The remediation of a rule is said once; of the next events, the command that names their own resource. */
function showEvent(event: Event, fixed: Set<string>): Line[] {
  const { rule, text: what, remediation = '', command = '', uid = '', ui_url, report_url } = event
  const isNew = rule !== undefined && !fixed.has(rule)
  // The message of a violation that is over is in the present tense.
  const wasFound = event.type === 'violation.resolved' ? [{ words: 'Was: ' }] : []
  if (rule !== undefined && remediation !== '') fixed.add(rule)
  const resourceCommand = commandAbout(uid, `${remediation} \`${command}\``)
  const next = isNew
    ? showFix(remediation, command)
    : resourceCommand === undefined
      ? []
      : [{ words: 'Fix: ' }, { command: resourceCommand }]
  return [
    { level: 'event', pieces: sayEvent(event) },
    ...(rule === undefined ? [] : [{ level: 'detail', pieces: [...wasFound, { foreign: what }] } as const]),
    ...showWhen(event),
    ...(event.ended_by === undefined
      ? []
      : [{ level: 'detail', pieces: [{ foreign: sentenceOfEnding(endingOf(event)) }] } as const]),
    ...linksOf(['Open in the gateway', ui_url], ['Show in the report', report_url]),
    ...(next.length === 0 ? [] : [{ level: 'detail', pieces: next } as const]),
  ]
}

function showFix(remediation: string, command: string): Piece[] {
  const fix = remediation === '' ? [] : [{ words: 'Fix: ' }, { prose: remediation }]
  if (command === '' || remediation.includes(`\`${command}\``)) return fix
  const label = command.startsWith('hookdrift restore ') ? 'To put it back: ' : 'Run '
  return [...fix, { words: fix.length === 0 ? label : ` ${label}` }, { command }]
}

/** The first command in backticks that names a resource. `name`: of a command; default: any. */
export function commandAbout(uid: string, text: string, name = ''): string | undefined {
  const commands = text.split('`').filter((part, at) => at % 2 === 1 && part.startsWith(`hookdrift ${name}`))
  return commands.find((command) => command.split(' ').includes(uid))
}

function linksOf(...links: readonly (readonly [string, string | undefined])[]): Line[] {
  const given = links.flatMap(([label, url]) => (url === undefined ? [] : [{ label, url }]))
  return given.length === 0 ? [] : [{ level: 'links', links: given }]
}

function showOpen(open: Message['already_open'] = {}): Line[] {
  const parts = Object.entries(open).map(([severity, number]) => `${number} ${severity}`)
  if (parts.length === 0) return []
  const words = `This is the first message of this channel, or others were given up. Open before it: ${parts.join(', ')}. List them: `
  return [{ level: 'text', pieces: [{ words }, { command: 'hookdrift violations --open --unknown' }] }]
}

const marks: Readonly<Record<EventType, string>> = {
  'worker.failed': 'Failed',
  'worker.recovered': 'Recovered',
  'coverage.lost': 'Incomplete',
  'coverage.regained': 'Complete again',
  'violation.reopened': 'Reopened',
  'violation.opened': 'Opened',
  'violation.raised': 'Raised',
  'violation.resolved': 'Resolved',
  'violation.closed': 'Closed',
  'violation.changed': 'Changed',
  'violation.waived': 'Waived',
  'rule.unknown': 'Unknown',
}

/** What a person or the policy ended is not resolved: it is not mended. */
function wordFor(event: Event): string {
  if (event.resolution === undefined) return marks[event.type]
  const name = nameEnding(endingOf(event))
  return name === 'removed' ? 'Resource removed' : capitalised(name)
}
