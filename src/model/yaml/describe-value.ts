import { isMap, isScalar, isSeq, type Node } from 'yaml'
import { holdsCredential, isSecretName } from '../secrets/known-secrets.ts'
import { isRandomText } from '../secrets/random-text.ts'
import type { NodePath } from './node-values.ts'

const maxQuoted = 40

/** The kind of value in the file: all that a message may reveal about an unexpected one. */
export function kindOf(node: Node | null): string {
  if (isMap(node)) return node.items.length === 0 ? 'an empty mapping' : 'a mapping'
  if (isSeq(node)) return node.items.length === 0 ? 'an empty list' : 'a list'
  if (!isScalar(node) || node.value === null) return 'empty'
  if (typeof node.value === 'string') return node.value === '' ? '""' : 'a text'
  return typeof node.value === 'number' || typeof node.value === 'bigint' ? 'a number' : 'true or false'
}

/**
 * Describes the value at a position in the file for a message: as written, so that an expanded reference is never shown.
 * The value itself only if it is harmless and has a name: a file that is one word may be anything.
 */
export function describeNode(node: Node | null, path: NodePath): string {
  const kind = kindOf(node)
  if (!isScalar(node) || !path.some((step) => typeof step === 'string')) return kind
  if (kind === 'a text') return describeText(String(node.value))
  // `01E2…` is a number to YAML, and an id to the one who wrote it.
  if (kind === 'a number') return (node.source ?? String(node.value)).slice(0, maxQuoted)
  return kind === 'true or false' ? String(node.value) : kind
}

/** A text of the file in quotes, unless it may be a secret. */
export function describeText(text: string): string {
  return isHarmless(text) ? JSON.stringify(text) : 'a text (not shown)'
}

/** A member's name, unless a value may have slipped into it (`key:CO.…`, without the blank). */
export function describeName(name: string): string {
  return isPlainName(name) ? `\`${name}\`` : 'this key (not shown)'
}

/** A name that a file refers to (a rule, a pack, another file), unless it may be something else. */
export function describeReference(name: string): string {
  return isPlainName(name) || isHarmless(name) ? `\`${name}\`` : 'this name (not shown)'
}

/** Whether a path is one for secrets. */
export function isSecretPath(path: NodePath): boolean {
  // What has a slash is the id of a rule.
  const names = path.flatMap((step) => (typeof step === 'string' && !step.includes('/') ? [step] : []))
  return names.some((name) => isSecretName(name) || /^(?:key|pass|pin|auth)$/i.test(name))
}

function isPlainName(name: string): boolean {
  if (name === '<<') return true
  return /^\$?[\w./*-]{1,40}$/.test(name) && !holdsCredential(name) && !isRandomText(name)
}

/** References within a text: names of variables and files are not secret. */
const reference = /\$\{(?:[A-Za-z_]\w{0,60}|file:[^{}]{1,200})\}/g

/**
 * Whether a message may quote a text: a few words or small numbers. A forgotten blank or quote moves a secret to an
 * innocent place (`name: acme` + `key:CO.…` is one text), so texts with a word or sign of secrets are not shown, nor
 * are words that mix letters and digits as passwords do.
 */
function isHarmless(text: string): boolean {
  if (text.length > maxQuoted || holdsCredential(text)) return false
  if (/[@?#\p{Cc}]|\/\/.*:.*\/\/|key\s*:|secret|token|password/isu.test(text)) return false
  const bare = text.replace(reference, '')
  if (!/^[\w ./:*+,<>=-]*$/.test(bare)) return bare.replace(/[^A-Za-z0-9]/g, '').length <= 4
  const words = bare.split(/[^A-Za-z0-9]+/)
  const mixed = words.filter((word) => !/^(?:[A-Za-z]{0,24}|\d{1,4})$/.test(word))
  return mixed.length <= 2 && mixed.every((word) => word.length <= 4)
}
