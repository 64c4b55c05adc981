import type { NodePath } from '../yaml/node-values.ts'
import { isChannelSecret, unsetSecret } from './notify-schema.ts'

/** Whether no message and no command may show the value at a path of the configuration. */
export function isSecretPath(path: NodePath): boolean {
  if (path.includes('key') || path.includes('seal_key') || path.includes('headers')) return true
  return isServeSecret(path) || isChannelSecret(path)
}

/** Whether it is the token of a reader of the pages. */
export function isServeSecret(path: NodePath): boolean {
  return path[0] === 'serve' && path.at(-1) === 'token'
}

/** Takes the place of a secret that is not used: it has the form of one. */
export function secretPlaceholder(path: NodePath): string {
  // Two tokens must differ.
  if (isServeSecret(path)) return path.join('.').padStart(32, '0')
  return isChannelSecret(path) ? unsetSecret(path[2]) : '0'.repeat(32)
}
