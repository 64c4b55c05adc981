import { existsSync, readFileSync } from 'node:fs'
import { packageFile } from '../model/package-files.ts'

const remediations = new Map<string, string>()

/** The page of a built-in rule, without comments: Markdown that comes with the package. */
export function readRulePage(id: string): string {
  return readFileSync(rulePageFile(id), 'utf8').replace(/<!--[\s\S]*?-->\n?/g, '')
}

/**
 * What to do about a violation of a built-in rule: the section "How to fix" of its page, on one line. Empty for a rule
 * without a page; tools that shrink images delete Markdown, and an audit must not fail for want of it.
 */
export function remediationOf(id: string): string {
  const remediation = remediations.get(id) ?? (existsSync(rulePageFile(id)) ? remediationIn(readRulePage(id)) : '')
  remediations.set(id, remediation)
  return remediation
}

function remediationIn(page: string): string {
  const section = page.split(/^## /m).find((text) => text.startsWith('How to fix\n')) ?? ''
  return section.slice('How to fix\n'.length).replaceAll(/\s+/g, ' ').trim()
}

/** The file of that page. */
export function rulePageFile(id: string): string {
  return packageFile(`docs/rules/${id}.md`)
}
