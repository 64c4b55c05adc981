import { ignoredIn } from '../../gateway/fields.ts'
import { isEmpty, isEqual, isJsonObject, type Json, valueAt } from '../../model/json.ts'
import { resourceRule } from '../engine/define-rule.ts'
import type { Description, Rule } from '../engine/rule.ts'

/** A rule that finds what resources of a kind declare and the service does not act on. */
export function settingsIgnored(kind: 'project' | 'source' | 'subscription', definition: Description<never>): Rule {
  return resourceRule(kind, {
    ...definition,
    *check({ attributes }) {
      for (const [path, { byItself, instead }] of ignoredIn(kind, valueAt(attributes, '/type'))) {
        const value = valueAt(attributes, path)
        if (isDeclared(value) && !isEqual(value, byItself)) yield { path, message: `has no effect: ${instead}` }
      }
    },
  })
}

/** Whether it says anything: an object of zeros does not. */
function isDeclared(value: Json | undefined): value is Json {
  if (value === undefined || value === false || value === 0) return false
  return isJsonObject(value) ? Object.values(value).some(isDeclared) : !isEmpty(value)
}
