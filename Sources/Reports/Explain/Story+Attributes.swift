import Diagnosis

extension ConnectionHistory {
  /// What the story says.
  func attributeStory(_ evidence: Evidence) -> [StoryLine] { [] }
}
