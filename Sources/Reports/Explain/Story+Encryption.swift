import Diagnosis

extension ConnectionHistory {
  /// What the story says.
  func encryptionStory(_ evidence: Evidence) -> [StoryLine] { [] }
}
