import type { Kind } from '../../model/resource.ts'
import type { Severity } from '../../model/violation.ts'
import type { CauseField } from '../describe-cause.ts'

/**
 * What a report, an answer or a message says to people, before it has a form: four renderers make a terminal's text,
 * Markdown, HTML and a chat's message of it. All texts may hold foreign words; each renderer makes them harmless.
 */
export type Block =
  | TextBlock
  | FactsBlock
  | VerdictBlock
  | TableBlock
  | ListBlock
  | CommandsBlock
  | FixBlock
  | VerbatimBlock
  | SectionBlock
  | SignatureBlock

/** A whole one. A form with a window has the title there. */
export interface Document {
  readonly title: string
  /** What it is about: lines below the title. */
  readonly about: readonly Block[]
  readonly verdict: VerdictBlock
  readonly sections: readonly Block[]
}

/** Words in a line. In a plain string, backticks enclose code. */
export type Inline = string | Span | readonly (string | Span)[]

export type Span =
  | { readonly code: string; readonly to?: LinkTarget }
  /** ISO 8601 in UTC. */
  | { readonly instant: string }
  | { readonly strong: string }
  | Chip
  | { readonly resource: NamedResource; readonly anchor?: string }
  | LinkedText

export interface LinkedText {
  readonly text: string
  readonly to: LinkTarget
}

/** A severity or a state: its word, and what decides icon and colour. */
export interface Chip {
  readonly chip: string
  readonly mark: string
}

export interface NamedResource {
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly ui_url?: string
}

/**
 * Where words lead, in a form that has links. `anchor`: within the document. `href`: within a site, or an
 * address of the web.
 */
export type LinkTarget =
  | { readonly anchor: string }
  | { readonly rule: string }
  | { readonly violation: string }
  | { readonly project: string }
  | { readonly owner: string }
  | { readonly href: string }

/** A paragraph. `aside`: less important than what is around it. */
export interface TextBlock {
  readonly kind: 'text'
  readonly text: Inline
  readonly tone?: 'strong' | 'good' | 'alarm' | 'aside'
}

/** Names and values. */
export interface FactsBlock {
  readonly kind: 'facts'
  readonly facts: readonly (readonly [name: string, value: Inline])[]
}

/** The outcome in words, with the numbers that it rests on. */
export interface VerdictBlock {
  readonly kind: 'verdict'
  readonly outcome: 'passed' | 'failed' | 'unknown'
  /** Absent where the sentence says it. */
  readonly word?: string
  readonly sentence: string
  /** Whether the sentence says the numbers: only a form that shows them large repeats them. */
  readonly isCounted?: true
  /** `mark`: a severity or a state. */
  readonly numbers: readonly { readonly value: string; readonly label: string; readonly mark: string }[]
  readonly facts: readonly string[]
}

/** `3 high, 2 medium` of its numbers: those that are none are left out. Empty where the sentence says them. */
export function sayNumbers({ numbers, isCounted }: Pick<VerdictBlock, 'numbers' | 'isCounted'>): string {
  if (isCounted) return ''
  return numbers.flatMap(({ value, label }) => (value === '0' ? [] : `${value} ${label}`)).join(', ')
}

/** Rows that begin with their name. */
export interface TableBlock {
  readonly kind: 'table'
  /** For a reader who hears the table. */
  readonly name: string
  readonly columns: readonly { readonly title: string; readonly kind?: 'number' | 'text' }[]
  readonly rows: readonly TableRow[]
  /** Whether it repeats in numbers what the document says: a terminal leaves it out. */
  readonly isOverview?: true
  /** Rows that a terminal shows unless all are wanted, what each is, and the command that shows all. */
  readonly most?: number
  readonly noun?: string
  readonly command?: string | null
}

export interface TableRow {
  readonly cells: readonly Inline[]
  /** Attributes for programs that read the page: `data-control`. */
  readonly data?: Readonly<Record<string, string>>
}

/**
 * Entries, each with lines below it. A terminal shows `most` of them unless all are wanted; a form that folds shows them
 * first.
 */
export interface ListBlock {
  readonly kind: 'list'
  /** What each entry is: `gap`. */
  readonly noun: string
  readonly items: readonly Item[]
  readonly most?: number
  /** What shows all of them; null where no command does. Default: the same command as JSON. */
  readonly command?: string | null
}

export interface Item {
  readonly text: Inline
  /** What changed, before all else below it. */
  readonly fields?: readonly CauseField[]
  readonly below?: readonly Inline[]
  readonly id?: string
  /** A state that is not known, so that it is not taken for one that is. */
  readonly isUnknown?: boolean
  readonly data?: Readonly<Record<string, string>>
}

/** Blocks under a heading. `level`: 2 for a part of the document. */
export interface SectionBlock {
  readonly kind: 'section'
  readonly level: 2 | 3 | 4
  readonly id?: string
  readonly title: Inline
  readonly count?: number | string
  readonly blocks: readonly Block[]
  /** Whether a form that folds shows the heading alone at first; absent: it never folds. */
  readonly isFolded?: boolean
  /** For those who check: a terminal and a comment leave it out, unless everything is asked for. */
  readonly isAppendix?: true
}

/** Commands to copy, each with why. */
export interface CommandsBlock {
  readonly kind: 'commands'
  readonly rows: readonly { readonly command: string; readonly why: string }[]
}

/** How to fix something: `1. First step. 2. Second step.`, or a sentence. */
export interface FixBlock {
  readonly kind: 'fix'
  readonly text: string
}

/** Lines to copy or to read as they are, harmless already: a command of several lines, JSON, a page that is laid out. */
export interface VerbatimBlock {
  readonly kind: 'verbatim'
  readonly lines: readonly string[]
}

/** Lines to sign on paper. */
export interface SignatureBlock {
  readonly kind: 'signature'
  readonly fields: readonly string[]
}

export function text(said: Inline, tone?: TextBlock['tone']): TextBlock {
  return { kind: 'text', text: said, ...(tone && { tone }) }
}

export function verbatim(lines: readonly string[]): VerbatimBlock {
  return { kind: 'verbatim', lines }
}

export function severityChip(severity: Severity): Chip {
  return { chip: severity, mark: severity }
}

/** A section, or nothing where it has no blocks. */
export function section(
  level: SectionBlock['level'],
  title: Inline,
  blocks: readonly Block[],
  more: Partial<SectionBlock> = {},
) {
  return blocks.length === 0 ? [] : [{ kind: 'section', level, title, blocks, ...more } satisfies SectionBlock]
}

/** A list, or nothing where it has no entries. `most`: Infinity for no limit. */
export function list(noun: string, items: readonly Item[], most = Number.POSITIVE_INFINITY, command?: string | null) {
  if (items.length === 0) return []
  return [{ kind: 'list', noun, items, most, ...(command !== undefined && { command }) } satisfies ListBlock]
}

/** Inlines with something between them. */
export function joined(parts: readonly Inline[], between: string): readonly (string | Span)[] {
  return parts.flatMap((part, at) => [...(at === 0 ? [] : [between]), ...spansOf(part)])
}

export function spansOf(inline: Inline): readonly (string | Span)[] {
  return Array.isArray(inline) ? inline : [inline as string | Span]
}

/** The anchor of a thing in a document: a prefix and its name, in which other characters than those of a link become `_`. */
export function anchorOf(prefix: string, name: string): string {
  return `${prefix}-${name.replace(/[^\w/.-]/g, '_')}`
}
