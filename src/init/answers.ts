/** Where audits will run. */
export const targets = ['github', 'gitlab', 'compose', 'kubernetes', 'systemd', 'none'] as const
export type Target = (typeof targets)[number]

/** Which rules the policy evaluates: those that are recommended, or of these only the critical and high ones. */
export const strictnesses = ['recommended', 'dangerous'] as const
export type Strictness = (typeof strictnesses)[number]

/** All that the files depend on. It holds no secret: `keyVariable` is the name of a variable. */
export interface Answers {
  readonly service: ChosenService
  /** The environment variable that holds the key. */
  readonly keyVariable: string
  readonly strictness: Strictness
  readonly target: Target
  /** A mapping with `waivers` for what is open now, as YAML; undefined: nothing is accepted. */
  readonly waivers: string | undefined
}

export interface ChosenService {
  /** Precedes the project in reports. */
  readonly name: string
  readonly url: string
  /** The service's identifier of the organisation whose projects are listed; undefined where projects are named. */
  readonly organisation: string | undefined
  readonly projects: 'all' | readonly ChosenProject[]
}

export interface ChosenProject {
  readonly id: string
  /** As in reports, fit for a configuration. */
  readonly name: string
}
