//! One feature for a browser, as Unleash Edge answers it.

use poem::{Request, web::Data};
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out, refusals},
        body::Body,
        programs::{caller::FrontendCaller, frontend::FrontendFeatureBody},
        subject,
    },
    domain::evaluation::Subject,
    error::Error,
    evaluation::Asker,
    state::Serving,
    wire::FrontendQuestion,
};

/// The operations for one feature.
#[derive(Debug)]
pub struct EdgeFrontendApi;

refusals! {
    /// Questions about one feature with a body.
    QuestionRefusals = 400, 401, 403, 404, 413, 415, 503;
}

#[OpenApi(tag = "Tag::Evaluation")]
impl EdgeFrontendApi {
    /// Get a feature for a context
    ///
    /// Whether it is on or off. Who asks is described as for the list of features.
    #[oai(path = "/api/frontend/features/:featureName", method = "get", operation_id = "getFrontendFeature")]
    async fn get_frontend_feature(
        &self,
        caller: FrontendCaller,
        Data(serving): Data<&Serving>,
        request: &Request,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Out<FrontendFeatureBody>, Fails<LookupRefusals>> {
        let subject = subject::of_query(request.uri().query().unwrap_or_default(), [("environment", None)])?;
        Ok(one(serving, &caller, request, subject, &feature_name.0).await?)
    }

    /// Get a feature for a context in the body
    ///
    /// The same as with GET.
    #[oai(path = "/api/frontend/features/:featureName", method = "post", operation_id = "postFrontendFeature")]
    async fn post_frontend_feature(
        &self,
        caller: FrontendCaller,
        Data(serving): Data<&Serving>,
        request: &Request,
        #[oai(name = "featureName")] feature_name: Path<String>,
        body: Body<FrontendQuestion>,
    ) -> Result<Out<FrontendFeatureBody>, Fails<QuestionRefusals>> {
        let subject = subject::of_question(&body.read()?.0)?;
        Ok(one(serving, &caller, request, subject, &feature_name.0).await?)
    }
}

async fn one(
    serving: &Serving,
    caller: &FrontendCaller,
    request: &Request,
    subject: Subject,
    name: &str,
) -> Result<Out<FrontendFeatureBody>, Error> {
    let now = serving.clock.now();
    let environment_name = caller.environment(None);
    let environment = serving.source.environment(&environment_name).await?;
    let judge = environment.judge(now).await.map_err(Error::internal)?;
    let asker = Asker::new(&subject::completed(subject, request), &environment_name, now);
    let judgement = judge.find(name, &caller.everything(), &asker);
    Ok(Out(judgement.ok_or_else(|| Error::not_found("feature", name))?.into()))
}
