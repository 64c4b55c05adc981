import { count } from '../model/text/count.ts'
import { cut } from '../model/text/neutralise.ts'
import { describeFollowing } from '../report/describe-cause.ts'
import { sentenceOfEnding } from '../report/describe-ending.ts'
import {
  type Inline,
  type Item,
  joined,
  type ListBlock,
  list,
  type Span,
  spansOf,
  type TextBlock,
  text,
} from '../report/document/blocks.ts'
import { plain } from '../report/document/terminal.ts'
import { commandAbout } from './explain-events.ts'
import { endingOf } from './find-events.ts'
import { capitalised, ofOwner, quoteName, sayEvent, wordFor } from './headline.ts'
import type { Event, Message, MessageCause, MessageFailure, Storm } from './message.ts'

/** One line for people: of an entry of a list, or of what is below one. */
export interface Line {
  readonly level: 'title' | 'text' | 'item' | 'below'
  readonly said: Inline
}

/** How a form shows each kind of span, so that foreign words stay text. In plain words, backticks enclose code. */
export interface SpanMarkup<Shown = string> {
  words(text: string): Shown
  strong(text: string): Shown
  code(text: string): Shown
  /** The label is ours, and nothing in the address ends a link. */
  link(label: string, url: string): Shown
}

/** A message as the lines of a chat, a mail or a ticket. */
export function showMessage(message: Message): readonly Line[] {
  return [{ level: 'title', said: message.title }, ...blocksOf(message).flatMap(linesOf)]
}

/** The spans of a line; words are cut. */
export function showLine<Shown>({ said }: Line, markup: SpanMarkup<Shown>): readonly Shown[] {
  return spansOf(said).map((span) => {
    if (typeof span === 'string') return markup.words(cut(span, 1000))
    if ('code' in span) return markup.code(span.code)
    if ('strong' in span) return markup.strong(cut(span.strong, 300))
    return 'text' in span && 'href' in span.to ? markup.link(span.text, span.to.href) : markup.words(plain(span))
  })
}

/** Lines as paragraphs of a form. */
export function showParagraphs(lines: readonly Line[], markup: SpanMarkup): string {
  return lines.map((line) => showLine(line, markup).join('')).join('\n\n')
}

/** A line as text without control characters. */
export function plainLine(line: Line): string {
  const link = (label: string, url: string) => `${label}: ${url}`
  return showLine(line, { words: plain, strong: plain, code: plain, link }).join('')
}

function linesOf(block: TextBlock | ListBlock): readonly Line[] {
  if (block.kind === 'text') return [{ level: 'text', said: block.text }]
  const { noun, items, most = items.length } = block
  const omitted = items.length - most
  return [
    ...items
      .slice(0, most)
      .flatMap(({ text, below = [] }) => [
        { level: 'item', said: text } as const,
        ...below.map((said) => ({ level: 'below', said }) as const),
      ]),
    ...(omitted > 0 ? [{ level: 'text', said: `and ${count(omitted, `more ${noun}`)}` } as const] : []),
  ]
}

const mostFailures = 3
const mostCauses = 10

/** What happened in a sentence, then where to see it, how to fix it and what to run; the run as a whole comes last. */
function blocksOf(message: Message): readonly (TextBlock | ListBlock)[] {
  const { when, in_between, verdict, storm, rules, causes = [], failures = [], events, more, command } = message
  const { run, report_url, already_open, incident, impact } = message
  const fixed = new Set<string>()
  return [
    ...given(
      incident?.left && `${incident.left[0]} of ${incident.left[1]} are left.`,
      in_between === undefined ? when : `${when} ${in_between}`,
    ),
    ...list('failure', failures.map(showFailure), mostFailures),
    ...list('cause', causes.map(showCause), mostCauses),
    ...given(
      storm && storms[storm],
      ...rules.map(({ rule, severity, events: count }) => `${count} × ${rule} (${severity})`),
    ),
    ...list(
      'event',
      events.map((event) => showEvent(event, fixed)),
    ),
    ...given(
      impact && ['What it cost in deliveries: ', { code: impact }],
      verdict?.text,
      sayOpen(already_open),
      more > 0 || run !== null ? [more > 0 ? `and ${more} more: ` : 'Full report: ', { code: command }] : undefined,
      ...linksTo(['Open the report', report_url]),
    ),
  ]
}

/** What there is, a paragraph each. */
function given(...said: readonly (Inline | undefined | null)[]): readonly TextBlock[] {
  return said.flatMap((inline) => (inline == null ? [] : [text(inline)]))
}

/** What the service answered, to what, what was not read for it, and what to do. */
function showFailure({ text, facts }: MessageFailure): Item {
  const below = facts.map(({ label, text }) => `${label === 'url' ? 'URL' : capitalised(label)}: ${text}`)
  return { text: [{ strong: 'Incomplete:' }, ` ${text}`], below }
}

/** What happened to what, what follows from it, in which resources, and what puts all of it back. */
function showCause({ severity, text, rules, resources, named, command }: MessageCause): Item {
  const omitted = resources - named.length
  return {
    text: [{ strong: `Cause, ${severity}:` }, ` ${text}`],
    below: [
      describeFollowing({ rules }),
      ...named.flatMap(({ name, owner, texts, ui_url, report_url }) => [
        `${quoteName(name)}${ofOwner(owner)}: ${texts.join('; ')}`,
        ...linksTo(['Open in the gateway', ui_url], ['Show in the report', report_url]),
      ]),
      ...(omitted > 0 ? [`and ${count(omitted, 'more resource')}`] : []),
      ['To put it back: ', { code: command }],
    ],
  }
}

/** The remediation of a rule is said once; of the next events, the command that names their own resource. */
function showEvent(event: Event, fixed: Set<string>): Item {
  const { rule, severity, project, text, remediation = '', command = '', uid = '', ui_url, report_url } = event
  const isNew = rule !== undefined && !fixed.has(rule)
  if (rule !== undefined && remediation !== '') fixed.add(rule)
  const own = commandAbout(uid, `${remediation} \`${command}\``)
  const where = project === null ? '' : ` in ${project}`
  const ending = event.ended_by === undefined ? [] : [sentenceOfEnding(endingOf(event))]
  // The message of a violation that is over is in the present tense.
  const found = event.type === 'violation.resolved' ? `Was: ${text}` : text
  return {
    text: [
      { strong: rule === undefined ? `${wordFor(event)}${where}:` : `${wordFor(event)}, ${severity}:` },
      ` ${sayEvent(event, where)}`,
    ],
    below: [
      ...(rule === undefined ? [] : [found]),
      ...ending,
      ...linksTo(['Open in the gateway', ui_url], ['Show in the report', report_url]),
      ...(isNew ? showFix(remediation, command) : own === undefined ? [] : [['Fix: ', { code: own }]]),
    ],
  }
}

function showFix(remediation: string, command: string): readonly Inline[] {
  const fix = remediation === '' ? '' : `Fix: ${remediation}`
  if (command === '' || remediation.includes(`\`${command}\``)) return fix === '' ? [] : [fix]
  const label = command.startsWith('hookdrift restore ') ? 'To put it back: ' : 'Run '
  return [[fix === '' ? label : `${fix} ${label}`, { code: command }]]
}

/** On one line; nothing in an address ends a link. */
function linksTo(...links: readonly (readonly [label: string, url: string | undefined])[]): readonly Inline[] {
  const encoded = (url: string) =>
    url.replace(/[\s()<>[\]{}|\\^!*]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
  const spans = links.flatMap(([text, url]): Span[] =>
    url === undefined ? [] : [{ text, to: { href: encoded(url) } }],
  )
  return spans.length === 0 ? [] : [joined(spans, ', ')]
}

function sayOpen(open: Message['already_open'] = {}): Inline | undefined {
  const parts = Object.entries(open).map(([severity, number]) => `${number} ${severity}`)
  if (parts.length === 0) return undefined
  const said = `First message of this channel, or earlier ones failed. Open before it: ${parts.join(', ')}. List them: `
  return [said, { code: 'hookdrift violations --open --unknown' }]
}

const storms: Readonly<Record<Storm, string>> = {
  first_run: 'This is the first run: every open violation is new. The worst of them:',
  policy_changed: 'The policy or the version of hookdrift changed since the last run. The worst of the changes:',
  mass: 'Many things changed at once. The worst of them:',
}

/**
 * Renders as many events as fit; the others are counted. Without any, causes and failures have no details, and where
 * that is still too much, it is the short form.
 */
export function fitMessage<Rendered>(
  message: Message,
  render: (message: Message) => Rendered,
  fits: (rendered: Rendered) => boolean,
): Rendered {
  const { events, more } = message
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
  const bare = render(withoutDetails(message))
  return fits(bare) ? bare : render(shorten(message))
}

function withoutDetails(message: Message): Message {
  const { events, more, causes, failures } = message
  return {
    ...message,
    events: [],
    more: more + events.length,
    causes: causes?.map((cause) => ({ ...cause, named: [] })),
    failures: failures?.map((failure) => ({ ...failure, facts: [] })),
  }
}

/** Takes few characters: the headline, the worst of each sort without details, and the command that shows the rest. */
export function shorten(message: Message): Message {
  const { causes, failures, more } = withoutDetails(message)
  const worst = message.events.slice(0, 1).map((event) => ({
    ...event,
    text: cut(event.text, 300),
    remediation: undefined,
    command: undefined,
    ui_url: undefined,
    report_url: undefined,
  }))
  return {
    ...message,
    in_between: undefined,
    rules: [],
    causes: causes?.slice(0, 1),
    failures: failures?.slice(0, 1),
    events: worst,
    more: more - worst.length,
    report_url: undefined,
  }
}
