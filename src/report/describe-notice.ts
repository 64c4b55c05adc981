import type { Notice } from '../model/notice.ts'

/** A notice as one line: its project and listing, where it has them, and its text. */
export function describeNotice({ project, listing, text }: Notice): string {
  const about = [project, listing].filter((name) => name !== null).join(' ')
  return about === '' ? text : `${about}: ${text}`
}
