import { isJsonObject, memberOf } from '../model/json.ts'

/**
 * What the worker applies only with a licence: by its name in answers, with that of earlier releases (up to v26.1.4). Not
 * here, because a missing licence does not switch them off: client certificates (without it, every delivery to such an
 * endpoint fails), OAuth and basic authentication (only writes ask for it).
 */
export const licensedFeatures = {
  /** Conditions of filters: without it, each matches (`matchSubscriptionsUsingFilter`, process_event_creation.go). */
  AdvancedSubscriptions: 'ADVANCED_SUBSCRIPTIONS',
  /** Functions: without it, events are delivered as they come (same file). Up to v26.6.6, those of sources run anyway. */
  Transformations: 'WEBHOOK_TRANSFORMATIONS',
  /** Timeouts: without it, each delivery has 10 seconds (process_event_delivery.go). */
  AdvancedEndpointMgmt: 'ADVANCED_ENDPOINT_MANAGEMENT',
} as const

export type LicensedFeature = keyof typeof licensedFeatures

/** The features that an answer of the route shows to be missing. An answer of another form shows none. */
export function missingFeatures(answer: unknown): readonly LicensedFeature[] {
  if (!isJsonObject(answer)) return []
  // Earlier releases name what there is.
  const isEarlier = Object.entries(answer).some(([name, value]) => /^[A-Z_]+$/.test(name) && isJsonObject(value))
  const features = Object.entries(licensedFeatures) as [LicensedFeature, string][]
  return features.flatMap(([name, formerly]) =>
    (isEarlier ? memberOf(answer, formerly) === undefined : memberOf(answer, name) === false) ? name : [],
  )
}
