import { stringify } from 'yaml'
import type { Json } from '../model/json.ts'

/** Writes a value as YAML for review: a line for each member, texts of several lines as blocks, no aliases. */
export function writeYaml(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.2', schema: 'core' })
}
