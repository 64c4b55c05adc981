import { type Owner, ownerFaults } from './owner.ts'

/**
 * What a publication still lacks, as sentences; empty when nothing does. `tag` is what the commit is tagged with;
 * undefined before there is one.
 */
export function publicationFaults({
  owner,
  version,
  changelog,
  tag,
}: {
  readonly owner: Owner
  readonly version: string
  readonly changelog: string
  readonly tag: string | undefined
}): readonly string[] {
  const heading = `## ${version}, `
  const isDated = changelog
    .split('\n')
    .some((line) => line.startsWith(heading) && /^\d{4}-\d\d-\d\d$/.test(line.slice(heading.length)))
  return [
    ...ownerFaults(owner),
    ...(isDated ? [] : [`CHANGELOG.md has no heading "${heading}" with the date`]),
    ...(tag === undefined || tag === `v${version}`
      ? []
      : [`the tag is ${tag}, and the version ${version}: tag v${version}`]),
  ]
}
