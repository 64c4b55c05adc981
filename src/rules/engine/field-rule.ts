import { z } from 'zod'
import type { Kind } from '../../model/resource.ts'
import type { AttributesByKind } from './attributes.ts'
import { describeRule, noOptions, nothing, seenAs } from './define-rule.ts'
import type { FieldPath, FieldValue } from './field-path.ts'
import type { Bound, Description, Rule } from './rule.ts'

interface FieldDefinition<K extends Kind, Path extends string> extends Omit<Description<never>, 'fix' | 'options'> {
  /** Where its problem is. */
  readonly path: Path
  isWrong(attributes: AttributesByKind[K]): boolean
  /** The message, or what makes it of the attributes that are wrong. */
  readonly says: string | ((attributes: AttributesByKind[K]) => string)
  /** The value at the path that ends a violation. */
  readonly fix?: FieldValue<AttributesByKind[K], Path>
}

interface LimitDefinition<K extends Kind> extends Omit<Description<never>, 'fix' | 'options'> {
  readonly path: FieldPath<AttributesByKind[K]>
  /** The number that is compared; silent where it is none. */
  of(attributes: AttributesByKind[K]): number | null | undefined
  /** The name of the option that has the bound, and what it may be. */
  readonly option: string
  readonly limit: z.ZodType<number>
  says(number: number, limit: number, attributes: AttributesByKind[K]): string
  /** Where the number at the path is the one that is compared: the nearest within the bound ends a violation. */
  readonly fix?: 'nearest'
}

/** A rule that finds one field of a resource as it should not be. It reads the attributes and nothing else. */
export function fieldRule<K extends Kind, Path extends FieldPath<AttributesByKind[K]>>(
  kind: K,
  { fix, ...definition }: FieldDefinition<K, Path>,
): Rule {
  const { path, isWrong, says } = definition
  return {
    ...describeRule({ ...definition, ...(fix !== undefined && { fix: { path, value: fix } }) }),
    kind,
    options: noOptions,
    needs: [kind],
    scope: 'resource',
    bind(raw) {
      noOptions.parse(raw)
      return {
        scope: 'resource',
        check(resource) {
          const { attributes } = seenAs<K>(resource)
          if (!isWrong(attributes)) return nothing
          return [{ path, message: typeof says === 'string' ? says : says(attributes) }]
        },
      }
    },
  }
}

/** A rule that finds a number above what its option allows. */
export function most<K extends Kind>(kind: K, definition: LimitDefinition<K>): Rule {
  return limitRule(kind, 'most', definition)
}

/** A rule that finds a number below what its option asks for. */
export function least<K extends Kind>(kind: K, definition: LimitDefinition<K>): Rule {
  return limitRule(kind, 'least', definition)
}

function limitRule<K extends Kind>(kind: K, bound: Bound['bound'], { fix, ...definition }: LimitDefinition<K>): Rule {
  const { path, of, option, says } = definition
  const options = z.strictObject({ [option]: definition.limit })
  return {
    ...describeRule({ ...definition, ...(fix && { fix: { path, bound, option } }) }),
    kind,
    options,
    needs: [kind],
    scope: 'resource',
    bind(raw) {
      // The schema has no other option, and a default for this one.
      const { [option]: limit = Number.NaN } = options.parse(raw)
      const isBroken = bound === 'most' ? (number: number) => number > limit : (number: number) => number < limit
      return {
        scope: 'resource',
        check(resource) {
          const { attributes } = seenAs<K>(resource)
          const number = of(attributes)
          if (typeof number !== 'number' || !isBroken(number)) return nothing
          return [{ path, message: says(number, limit, attributes) }]
        },
      }
    },
  }
}
