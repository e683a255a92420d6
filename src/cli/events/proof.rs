//! Approvals of applied change requests, and what proves them.

use crate::{
    audit,
    cli::{Outcome, say},
    domain::change_request::{
        certificate::{CertifiedEventBody, ProofBody},
        proof::Findings,
    },
    store::{change_requests, db::Db},
};

/// Lines about the applications that a verification has seen.
pub(super) fn lines(applications: &Findings) -> Vec<String> {
    let Findings { proved, moved, began_before, elsewhere, faults, fault_count, own_approvals, own_approval_count } =
        applications;
    let mut lines = Vec::new();
    if *proved > 0 {
        lines.push(format!("{proved} applied change requests are what was approved."));
    }
    if *moved > 0 {
        lines.push(format!(
            "{moved} of them by approvals of another server, which counted for the changes when they moved in."
        ));
    }
    if *began_before > 0 {
        lines.push(format!("{began_before} applied change requests began before the events that were verified."));
    }
    if *elsewhere > 0 {
        lines
            .push(format!("{elsewhere} change requests were applied by another server, which proves nothing of them."));
    }
    for own in own_approvals {
        lines.push(format!(
            "Event {} applies change request {} by an approval of its author, event {}, which only administrators can give.",
            own.event_id, own.change_request, own.approval
        ));
    }
    lines.extend(more(*own_approval_count, own_approvals.len(), "approvals by authors"));
    lines.extend(faults.iter().map(|fault| format!("Not proved: {fault}.")));
    lines.extend(more(*fault_count, faults.len(), "applications that are not proved"));
    lines
}

fn more(count: u64, told: usize, of: &str) -> Option<String> {
    let more = count - told as u64;
    (more > 0).then(|| format!("And {more} more {of}."))
}

/// Prints the proof of one change request.
pub(super) async fn print(db: &Db, id: i64, as_json: bool) -> Outcome {
    let snapshot = db.snapshot().await?;
    let request = change_requests::find(&snapshot, id).await?;
    let request = request.ok_or_else(|| format!("there is no change request {id}"))?;
    let proof = audit::request_proof(&snapshot, &request).await?;
    if as_json {
        say(&serde_json::to_string_pretty(&proof)?)?;
        return Ok(());
    }
    for line in written(&proof) {
        say(&line)?;
    }
    Ok(())
}

/// The proof as a text, for printing.
fn written(proof: &ProofBody) -> Vec<String> {
    let ProofBody { change_request_id: id, title, project, environment, .. } = proof;
    let mut lines = vec![
        format!("Change request {id}: {title}"),
        format!("Project {project}, environment {environment}, state {}", proof.state.as_str()),
        format!("Result: {}", proof.result.sentence()),
    ];
    lines.extend(proof.findings.iter().map(|finding| format!("  Not proved: {finding}.")));
    lines.extend(proof.remarks.iter().map(|remark| format!("  Note: {remark}.")));
    lines.push(format!("Approvals needed: {}", proof.min_approvals));
    lines.push(format!("Digest of the changes: {}", proof.changes_digest));
    lines.push("Approvals:".to_owned());
    for approval in &proof.approvals {
        let counts = if approval.counts { "counts" } else { "does not count" };
        lines.push(format!("  {} by {}, {counts}", approval.event.created_at, approval.event.created_by));
        lines.push(format!("    digest {}", approval.changes_digest));
        lines.push(format!("    event {}, hash {}", approval.event.id, hash(&approval.event)));
    }
    if let Some(application) = &proof.application.0 {
        let event = &application.event;
        lines.push(format!("Applied: {} by {} ({})", event.created_at, event.created_by, event.kind));
        lines.push(format!("    digest {}", application.changes_digest.0.as_deref().unwrap_or("none")));
        lines.push(format!("    event {}, hash {}", event.id, hash(event)));
    }
    if let Some(checkpoint) = &proof.checkpoint.0 {
        lines.push(format!(
            "Checkpoint: {}, event {}, hash {}, signed by {}",
            checkpoint.created_at, checkpoint.event_id, checkpoint.hash, checkpoint.public_key
        ));
    }
    lines.push("Changes:".to_owned());
    lines.push(format!("  {}", proof.digested_text));
    lines
}

fn hash(event: &CertifiedEventBody) -> &str {
    event.hash.0.as_deref().unwrap_or("none yet")
}
