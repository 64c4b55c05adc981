import { stringify } from 'yaml'
import type { Json } from '../model/json.ts'

/** A value as YAML that people review: a line for each member, texts of several lines as they stand, no aliases. */
export function writeYaml(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.2', schema: 'core' })
}
