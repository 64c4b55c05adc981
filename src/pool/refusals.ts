/** What a worker has, and may have differently from what the run began with: then it does not take part. */
export const refusals = ['version', 'configuration', 'policy', 'seal_key'] as const
export type Refusal = (typeof refusals)[number]

export const refusalWords: Readonly<Record<Refusal, string>> = {
  version: 'version of hookdrift',
  configuration: 'configuration',
  policy: 'policy',
  seal_key: 'installation key',
}

/** For so long, workers may have other files than a run was asked with: a changed file reaches all machines by then. */
export const agreeWithinMs = 5 * 60_000
