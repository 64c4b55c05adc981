import type { Kind, ProjectRef } from './resource.ts'

/** What the address of a resource in the gateway's own UI may name. */
export const uiPlaceholders = ['service', 'project', 'project_id', 'kind', 'listing', 'uid'] as const

const placeholder = /\{([^{}]{1,60})\}/g
const mostCharacters = 2000
const listed: readonly Kind[] = ['endpoint', 'subscription', 'source']

/** The names of a template's placeholders, and where each begins. */
export function placeholdersIn(template: string): readonly { readonly name: string; readonly offset: number }[] {
  return [...template.matchAll(placeholder)].map(({ 1: name = '', index: offset }) => ({ name, offset }))
}

/**
 * Fills in values, each encoded, so that none can add a segment, a parameter or markup. Placeholders without a value
 * stay. undefined where a value would change where the address leads (empty, or dots alone), and where the address would
 * be longer than 2000 characters.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string | undefined {
  let isLost = false
  const filled = template.replace(placeholder, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) return whole
    isLost ||= /^\.{0,2}$/.test(value)
    return encode(value)
  })
  return isLost || filled.length > mostCharacters ? undefined : filled
}

/** A service's template for the resources of one project: `{kind}`, `{listing}` and `{uid}` stay. */
export function linksOfProject(template: string, { service, uid, name }: ProjectRef): string | undefined {
  return fillTemplate(template, { service, project_id: uid, project: name.slice(service.length + 1) })
}

/** Where the gateway shows a resource, by the template of its project; undefined where the template has no such kind. */
export function linkToResource(
  template: string,
  { kind, uid }: { readonly kind: Kind; readonly uid: string },
): string | undefined {
  return isForKind(template, kind) ? fillTemplate(template, { kind, listing: `${kind}s`, uid }) : undefined
}

/** A template for a resource that does not say of which kind is one for endpoints. */
function isForKind(template: string, kind: Kind): boolean {
  if (/\{(?:kind|listing)\}/.test(template)) return listed.includes(kind)
  return !template.includes('{uid}') || kind === 'endpoint'
}

/** What `encodeURIComponent` leaves has a meaning in chats and in Markdown. */
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*~_]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
