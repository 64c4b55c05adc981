import { z } from 'zod'
import { suggestName } from '../text/nearest-name.ts'
import { describeName } from '../yaml/describe-value.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import type { DecodedConfiguration } from './configuration-schema.ts'

/** What the address of a resource in the gateway's own UI may name. */
const uiPlaceholders = ['service', 'project', 'project_id', 'kind', 'listing', 'uid'] as const
/** What the address of a published report may name. */
const reportPlaceholders = ['run', 'directory', 'fingerprint'] as const

/** Values by placeholder, unencoded. */
export type LinkValues<Placeholder extends string> = Readonly<Record<Placeholder, string>>
export type UiValues = LinkValues<(typeof uiPlaceholders)[number]>
export type ReportValues = LinkValues<(typeof reportPlaceholders)[number]>

/** The host is fixed and has no credentials before it: values come from a service, and must not choose where it leads. */
const form =
  /^https?:\/\/(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?(?:[/?#][\w.~:/?#[\]@!$&'()*+,;=%{}-]{0,1700})?$/
const placeholder = /\{([^{}]{1,60})\}/g
const mostCharacters = 2000

/** An address with placeholders such as `{uid}`; which of them are known, `findLinkFaults` checks. */
export const linkTemplate = z.string().refine(isTemplate, {
  error: 'an http or https URL without user and password, with placeholders in braces behind the host only',
})

function isTemplate(text: string): boolean {
  return (
    form.test(text) && !/[{}]/.test(text.replace(placeholder, '')) && URL.parse(text.replace(placeholder, 'x')) !== null
  )
}

/** Finds placeholders that are not known. */
export function* findLinkFaults(document: ReadDocument<DecodedConfiguration>): Generator<FileProblem> {
  const { report_url, ui_url, services } = document.value
  yield* unknownIn(report_url, ['report_url'], reportPlaceholders, document)
  yield* unknownIn(ui_url, ['ui_url'], uiPlaceholders, document)
  for (const [index, service] of services.entries()) {
    yield* unknownIn(service.ui_url, ['services', index, 'ui_url'], uiPlaceholders, document)
  }
}

function* unknownIn(
  template: string | undefined,
  path: readonly (string | number)[],
  known: readonly string[],
  document: ReadDocument<DecodedConfiguration>,
): Generator<FileProblem> {
  for (const { 1: name = '', index } of (template ?? '').matchAll(placeholder)) {
    if (known.includes(name)) continue
    const hint = suggestName(name, known) || `, expected one of ${known.join(', ')}`
    yield document.problemWithin(path, index, `there is no placeholder ${describeName(name)} here${hint}`)
  }
}

/**
 * Fills in values, each encoded, so that none can add a segment, a parameter or markup. undefined where a value would
 * change where the address leads (empty, or dots alone), and where the address would be longer than 2000 characters.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string | undefined {
  let isLost = false
  const filled = template.replace(placeholder, (_, name: string) => {
    const value = values[name] ?? ''
    isLost ||= /^\.{0,2}$/.test(value)
    return encode(value)
  })
  return isLost || filled.length > mostCharacters ? undefined : filled
}

/** What `encodeURIComponent` leaves has a meaning in chats and in Markdown. */
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*~_]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
