import { z } from 'zod'

/** What the address of a resource in the gateway's own UI may name. */
export const uiPlaceholders = ['service', 'project', 'project_id', 'kind', 'listing', 'uid'] as const
/** What the address of a published report may name. */
export const reportPlaceholders = ['run', 'directory', 'fingerprint'] as const

/** Values by placeholder, unencoded. */
export type LinkValues<Placeholder extends string> = Readonly<Record<Placeholder, string>>
export type UiValues = LinkValues<(typeof uiPlaceholders)[number]>
export type ReportValues = LinkValues<(typeof reportPlaceholders)[number]>

/** The host is fixed and has no credentials before it: values come from a service, and must not choose where it leads. */
const form =
  /^https?:\/\/(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?(?:[/?#][\w.~:/?#[\]@!$&'()*+,;=%{}-]{0,1700})?$/
const placeholder = /\{([^{}]{1,60})\}/g
const mostCharacters = 2000

/** An address with placeholders such as `{uid}`; `check-links.ts` checks which. */
export const linkTemplate = z.string().refine(isTemplate, {
  error: 'an http or https URL without user and password, with placeholders in braces behind the host only',
})

function isTemplate(text: string): boolean {
  return (
    form.test(text) && !/[{}]/.test(text.replace(placeholder, '')) && URL.parse(text.replace(placeholder, 'x')) !== null
  )
}

/** The names of its placeholders, and where each begins. */
export function placeholdersIn(template: string): readonly { readonly name: string; readonly offset: number }[] {
  return [...template.matchAll(placeholder)].map(({ 1: name = '', index: offset }) => ({ name, offset }))
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
