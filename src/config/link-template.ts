import { z } from 'zod'

/** What the address of a published report may name. */
export const reportPlaceholders = ['run', 'directory', 'fingerprint'] as const

/** The host is fixed and has no credentials before it: values come from a service, and must not choose where it leads. */
const form =
  /^https?:\/\/(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?(?:[/?#][\w.~:/?#[\]@!$&'()*+,;=%{}-]{0,1700})?$/
const placeholder = /\{([^{}]{1,60})\}/g

/** An address with placeholders such as `{uid}`; `check-links.ts` checks which. */
export const linkTemplate = z.string().refine(isTemplate, {
  error: 'an http or https URL without user and password, with placeholders in braces behind the host only',
})

function isTemplate(text: string): boolean {
  return (
    form.test(text) && !/[{}]/.test(text.replace(placeholder, '')) && URL.parse(text.replace(placeholder, 'x')) !== null
  )
}
