import type { ScanDraft } from '../history/history.ts'
import { clearedFrom, type SettingsAge, settingsAge } from '../inventory/settings-cache.ts'
import { projectKey } from '../model/keys.ts'
import { describeReleases, intersectReleases } from '../model/release-range.ts'
import type { ProjectOutcome } from './project-outcome.ts'
import type { AuditedProject } from './project-scan.ts'

/**
 * Says of projects with a key of their own how old the settings may be that a service with a cache answers with. A key
 * that reads two projects is a personal one. Of the one key of a single project nothing shows which kind it is: `doctor`
 * asks the service.
 */
export async function noteCachedSettings(
  draft: Pick<ScanDraft, 'stageNotice'>,
  projects: readonly Pick<AuditedProject, 'ref' | 'key'>[],
  outcomes: readonly Pick<ProjectOutcome, 'project' | 'statuses' | 'release'>[],
): Promise<void> {
  const keys = new Map(projects.map(({ ref, key }) => [projectKey(ref), key]))
  for (const ofService of Map.groupBy(outcomes, ({ project }) => project.service).values()) {
    const release = intersectReleases(ofService.map((outcome) => outcome.release))
    const text = release && describeAge(settingsAge(release))
    if (release === undefined || text === undefined) continue
    const read = ofService.filter(({ statuses }) => statuses.project === 'complete')
    const byKey = Map.groupBy(read, ({ project }) => keys.get(projectKey(project)))
    if (byKey.size < 2) continue
    for (const [only, ...others] of byKey.values()) {
      if (only === undefined || others.length > 0) continue
      const shown = `${text}; the service runs ${describeReleases(release)}`
      await draft.stageNotice(only.project, { code: 'settings_cached', listing: 'project', text: shown })
    }
  }
}

function describeAge({ projectKey, personalKey }: SettingsAge): string | undefined {
  if (projectKey === 0) return undefined
  const upTo = `settings may be up to ${projectKey} minutes old, because the service may answer from a cache`
  if (projectKey === personalKey) return `${upTo}: ${clearedFrom} clears it with each change`
  const otherwise = personalKey === 0 ? 'gets them as they are' : `gets them within ${personalKey} minutes`
  return `if its key is a project's key, ${upTo}: use a personal key, which ${otherwise}`
}
