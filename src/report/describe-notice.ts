import type { Notice } from '../model/notice.ts'

/** A notice as one line: what it is about, unless that is the run, and its text. */
export function describeNotice({ project, listing, text }: Notice): string {
  const about = [project, listing].filter((name) => name !== null).join(' ')
  return about === '' ? text : `${about}: ${text}`
}
