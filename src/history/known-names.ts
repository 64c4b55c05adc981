/** What a history has names for. */
export type Named = 'runs' | 'projects' | 'resources' | 'violations'

/** A name that begins as asked, and what it is. */
export interface KnownName {
  readonly value: string
  readonly about: string
}

/** A person waits for them: no more are shown, and no more time is spent on them. */
export const mostNames = 200
export const namesTimeoutMs = 250

/** Sorts after every text that begins with the same characters. */
export const lastCharacter = '\u{10ffff}'
