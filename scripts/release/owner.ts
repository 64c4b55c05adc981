import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** What only the owner of the project can say: where it lives. A member is empty until the owner has filled it. */
export const ownerSchema = z.strictObject({
  repository: blankOr(/^https:\/\/github\.com\/[\w-]+\/[\w.-]+$/).describe(
    'The repository: https://github.com/NAME/hookdrift. npm compares it with where the package was built.',
  ),
  homepage: blankOr(/^https:\/\/[\w./-]+[\w/]$/).describe('The page about the project.'),
  bugs: blankOr(/^https:\/\/[\w./-]+[\w/]$/).describe(
    'Where faults are reported: https://github.com/NAME/hookdrift/issues.',
  ),
  codeowners: blankOr(/^@[\w-]+(?:\/[\w-]+)?$/).describe('Who reviews changes: @NAME/TEAM, or @NAME.'),
  image: blankOr(/^[a-z0-9.-]+(?:\/[a-z0-9._-]+)+$/).describe('The image without a tag: ghcr.io/NAME/hookdrift.'),
  schemas: blankOr(/^https:\/\/[\w./-]+\w$/).describe('Where the JSON Schemas are published: https://HOST/schemas.'),
})

export type Owner = z.infer<typeof ownerSchema>

/** The file that the owner fills, in a checkout. */
export const ownerFile = 'release/owner.json'

/** Reads what the owner filled in. Throws where a member is missing, or is not an address. */
export function readOwner(checkout: string): Owner {
  const result = ownerSchema.safeParse(JSON.parse(readFileSync(join(checkout, ownerFile), 'utf8')))
  if (!result.success) throw new Error(`${ownerFile}: ${z.prettifyError(result.error)}`)
  return result.data
}

/** Who reviews which changes, as GitHub reads it. */
export function codeOwners({ codeowners }: Pick<Owner, 'codeowners'>): string {
  const about = `# Written by \`npm run reference\`, from ${ownerFile}.\n`
  return codeowners === '' ? about : `${about}* ${codeowners}\n`
}

/** A host that never exists, until the owner says where the project is. */
export const ownerPlaceholder = 'https://hookdrift.example'

/**
 * The address, and so the id, of a published JSON Schema: `report-3` names that of the report's second form,
 * `report-3#/$defs/time` a part of it.
 */
export function schemaAddress({ schemas }: Pick<Owner, 'schemas'>, name: string): string {
  const [document = '', part] = name.split('#')
  const address = `${schemas === '' ? `${ownerPlaceholder}/schemas` : schemas}/${document}.schema.json`
  return part === undefined ? address : `${address}#${part}`
}

function blankOr(pattern: RegExp) {
  return z.string().regex(new RegExp(`^$|${pattern.source}`))
}
